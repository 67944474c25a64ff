import type { ConformanceCase } from './find-cases.js';
import type { KnownGaps } from './known-gaps.js';

/** `gap`: fails, as known. `closed`: listed as a gap but passes. `disputed`: sources disagree, so neither counts. */
export type CaseStatus = 'passed' | 'failed' | 'gap' | 'closed' | 'disputed';

export interface CaseResult {
  readonly case: ConformanceCase;
  readonly status: CaseStatus;
  /** What differs, a line each; for a gap also why it is one. */
  readonly differences: readonly string[];
}

/** Runs cases one after the other. A case that throws has failed. */
export async function* runCases(
  cases: readonly ConformanceCase[],
  gaps: KnownGaps,
): AsyncGenerator<CaseResult> {
  for (const conformanceCase of cases) {
    const differences = await runSafely(conformanceCase);
    const gap = gaps.get(conformanceCase.id);
    const status = statusOf(conformanceCase, differences.length === 0, gap !== undefined);
    const notes = gap === undefined ? [] : [`known gap: ${gap}`];
    yield { case: conformanceCase, status, differences: [...differences, ...notes] };
  }
}

function statusOf(conformanceCase: ConformanceCase, passes: boolean, isGap: boolean): CaseStatus {
  if (conformanceCase.disputed && !passes) return 'disputed';
  if (isGap) return passes ? 'closed' : 'gap';
  return passes ? 'passed' : 'failed';
}

async function runSafely(conformanceCase: ConformanceCase): Promise<readonly string[]> {
  try {
    return await conformanceCase.run();
  } catch (error) {
    return [`the run threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`];
  }
}
