import { readFile } from 'node:fs/promises';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { RunFixtureOptions } from '../fixtures/run-fixture.js';
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

/**
 * Cases that are not expected to pass, by ID. A listed case that passes counts as a failure, so that the lists only
 * shrink.
 */
export interface CaseLists {
  /** Known failures with their reasons. */
  readonly gaps: ReadonlyMap<string, string>;
  /** Cases that contradict a stronger source, with the reason and the source. */
  readonly disputed: ReadonlyMap<string, string>;
}

/**
 * Reads `known-gaps.json` (ID to reason) and `disputed.json` (ID to `{reason, source}`) of a folder. A missing file
 * is an empty list.
 *
 * @throws TypeError for an entry without a reason, a dispute without a source, and a case on both lists
 */
export async function readCaseLists(folder: URL): Promise<CaseLists> {
  const gaps = await readList(new URL('known-gaps.json', folder), (entry) => readText(entry));
  const disputed = await readList(new URL('disputed.json', folder), readDispute);
  const both = [...gaps.keys()].filter((id) => disputed.has(id));
  if (both.length > 0) throw new TypeError(`${both.join(', ')}: a case is either a gap or disputed.`);
  return { gaps, disputed };
}

async function readList(
  file: URL,
  describe: (entry: unknown) => string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const written = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const content: unknown = JSON.parse(written);
  const name = file.pathname.slice(file.pathname.lastIndexOf('/') + 1);
  if (!isPlainObject(content)) throw new TypeError(`${name} must be an object with the IDs of cases.`);
  return new Map(
    Object.entries(content).map(([id, entry]) => {
      const text = describe(entry);
      if (text === undefined) throw new TypeError(`${name} has no explanation for the case ${id}.`);
      return [id, text];
    }),
  );
}

function readDispute(entry: unknown): string | undefined {
  if (!isPlainObject(entry)) return undefined;
  const [reason, source] = [readText(entry['reason']), readText(entry['source'])];
  return reason === undefined || source === undefined ? undefined : `${reason} (${source})`;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
