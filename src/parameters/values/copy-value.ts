import { classifyValue } from '../../iml/values/value-kind.js';
import { spend } from '../../iml/values/work.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** To copy a member, and to look for its field. */
const STEPS_OF_MEMBER = 12;

/** Names of a collection that the host keeps in a table once there are more of them, and what one more costs there. */
const NAMES_OF_RECORD = 1000;
const STEPS_OF_TABLED_NAME = 48;

/** To copy an item. */
const STEPS_OF_ITEM = 2;

/** A copy of the own members of a plain object; undefined where reading them fails. */
export function copyMembers(value: unknown): PlainObject | undefined {
  const names = attempt(() => (isPlainObject(value) ? Object.keys(value) : undefined));
  spendOnMembers(names?.length ?? 0);
  return attempt(() => {
    if (names === undefined || !isPlainObject(value)) return undefined;
    const copy: PlainObject = {};
    for (const name of names) setMember(copy, name, value[name]);
    return copy;
  });
}

/** The members of several objects in one; of those with one name that of the last. */
export function mergeMembers(objects: readonly PlainObject[]): PlainObject {
  const merged: PlainObject = {};
  for (const object of objects) {
    const names = Object.keys(object);
    spendOnMembers(names.length);
    for (const name of names) setMember(merged, name, object[name]);
  }
  return merged;
}

/** Counts what it takes to read or copy so many members of an object. @throws as `spend` */
function spendOnMembers(count: number): void {
  spend(count * (count > NAMES_OF_RECORD ? STEPS_OF_MEMBER + STEPS_OF_TABLED_NAME : STEPS_OF_MEMBER));
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
