import { readFile } from 'node:fs/promises';
import { isPlainObject } from '../../util/plain-object.js';

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
  if (!isPlainObject(content)) throw new TypeError(`${name} has to be an object with the ids of cases.`);
  return new Map(
    Object.entries(content).map(([id, entry]) => {
      const text = describe(entry);
      if (text === undefined) throw new TypeError(`${name} does not say enough about ${id}.`);
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
