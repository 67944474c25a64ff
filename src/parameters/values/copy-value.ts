import { classifyValue } from '../../iml/values/value-kind.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** Longer lists are refused: a list may have billions of holes. */
const MAX_ITEMS = 3_000_000;

/** A copy of the own members of a plain object; undefined where reading them fails. */
export function copyMembers(value: unknown): PlainObject | undefined {
  return attempt(() => (isPlainObject(value) ? mergeMembers([value]) : undefined));
}

/** The members of several objects in one; of those with one name that of the last. */
export function mergeMembers(objects: readonly PlainObject[]): PlainObject {
  const merged: PlainObject = {};
  for (const object of objects) {
    for (const name of Object.keys(object)) setMember(merged, name, object[name]);
  }
  return merged;
}

/** What was expected where members could not be copied: a collection of the embedder's may throw when it is read. */
export function expectedCollection(value: unknown): string {
  return classifyValue(value) === 'collection' ? 'a collection that can be read' : 'a collection';
}

/** A copy of the items of an array; undefined if the array has too many items or reading them fails. */
export function copyItems(value: unknown): unknown[] | undefined {
  return attempt(() =>
    Array.isArray(value) && value.length <= MAX_ITEMS ? Array.from<unknown>(value) : undefined,
  );
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
