import { readFile } from 'node:fs/promises';
import { isPlainObject } from '../../util/plain-object.js';

/** Cases that are known to fail, by id, each with the reason. A listed case that passes is a failure: the list can only shrink. */
export type KnownGaps = ReadonlyMap<string, string>;

/** @throws TypeError for a gap without a reason */
export async function readKnownGaps(file: string | URL): Promise<KnownGaps> {
  const content: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!isPlainObject(content)) throw new TypeError('known-gaps.json has to be an object: id to reason.');
  return new Map(
    Object.entries(content).map(([id, reason]) => {
      if (typeof reason !== 'string' || reason.trim() === '')
        throw new TypeError(`The gap ${id} has no reason.`);
      return [id, reason];
    }),
  );
}
