import { classifyValue } from '../../iml/values/value-kind.js';
import { spend } from '../../iml/values/work.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** To copy a member, and to look for its field. */
const STEPS_OF_MEMBER = 12;

/** To copy an item. */
const STEPS_OF_ITEM = 2;

/** A copy of the own members of a plain object; undefined where reading them fails. */
export function copyMembers(value: unknown): PlainObject | undefined {
  const names = attempt(() => (isPlainObject(value) ? Object.keys(value) : undefined));
  spend(STEPS_OF_MEMBER * (names?.length ?? 0));
  return attempt(() => {
    if (names === undefined || !isPlainObject(value)) return undefined;
    const copy: PlainObject = {};
    for (const name of names) setMember(copy, name, value[name]);
    return copy;
  });
}

/** What was expected where members could not be copied: a collection of the embedder's may throw when it is read. */
export function expectedCollection(value: unknown): string {
  return classifyValue(value) === 'collection' ? 'a collection that can be read' : 'a collection';
}

/**
 * A copy of the items of an array; undefined where reading them fails.
 *
 * @throws ImlError `IML_LIMIT` for more items than `withinSteps` allows: an array may have billions of holes
 */
export function copyItems(value: unknown): unknown[] | undefined {
  const length = attempt(() => (Array.isArray(value) ? value.length : undefined));
  if (length === undefined) return undefined;
  spend(STEPS_OF_ITEM * length);
  return attempt(() => Array.from(value as readonly unknown[]));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
