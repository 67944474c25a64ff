import type { RunFixtureOptions } from '../fixtures/run-fixture.js';
import type { CaseLists } from './case-lists.js';
import type { ConformanceCase } from './find-cases.js';

/** `gap`: known failure. `disputed`: sources disagree; counts neither way. `closed`: listed, but passes. */
export type CaseStatus = 'passed' | 'failed' | 'gap' | 'closed' | 'disputed';

export interface CaseResult {
  readonly case: ConformanceCase;
  readonly status: CaseStatus;
  /** One line per difference; for a listed case also the reason. */
  readonly differences: readonly string[];
  /** Notes about a passed case. */
  readonly notes: readonly string[];
}

/** Runs cases one after another. A case that throws has failed. */
export async function* runCases(
  cases: readonly ConformanceCase[],
  { gaps, disputed }: CaseLists,
  options: Pick<RunFixtureOptions, 'checkParameters'> = {},
): AsyncGenerator<CaseResult> {
  for (const conformanceCase of cases) {
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    const differences = await runSafely(conformanceCase, { ...options, onNote });
    const [gap, dispute] = [gaps.get(conformanceCase.id), disputed.get(conformanceCase.id)];
    const passes = differences.length === 0;
    const isListed = gap !== undefined || dispute !== undefined;
    yield {
      case: conformanceCase,
      status: passes ? passedAs(isListed) : failedAs(conformanceCase, gap, dispute),
      differences: [
        ...differences,
        ...(gap === undefined ? [] : [`known gap: ${gap}`]),
        ...(dispute === undefined ? [] : [`disputed: ${dispute}`]),
      ],
      notes,
    };
  }
}

function passedAs(isListed: boolean): CaseStatus {
  return isListed ? 'closed' : 'passed';
}

function failedAs({ isMarked }: ConformanceCase, gap?: string, dispute?: string): CaseStatus {
  if (dispute !== undefined || isMarked) return 'disputed';
  return gap === undefined ? 'failed' : 'gap';
}

async function runSafely(
  conformanceCase: ConformanceCase,
  options: RunFixtureOptions,
): Promise<readonly string[]> {
  try {
    return await conformanceCase.run(options);
  } catch (error) {
    return [`the run threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`];
  }
}
