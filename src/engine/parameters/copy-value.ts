import { classifyValue } from '../../language/values/value.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';

/** Longer arrays are rejected, as an array may have billions of holes. */
const MAX_ITEMS = 3_000_000;

/** Copies the own members of a plain object; undefined if reading them throws. */
export function copyMembers(value: unknown): PlainObject | undefined {
  return attempt(() => (isPlainObject(value) ? mergeMembers([value]) : undefined));
}

/** Merges the members of several objects; the last one wins. */
export function mergeMembers(objects: readonly PlainObject[]): PlainObject {
  const merged: PlainObject = {};
  for (const object of objects) {
    for (const name of Object.keys(object)) setMember(merged, name, object[name]);
  }
  return merged;
}

/** Expectation for a value whose members could not be copied, as a collection of an embedder may throw. */
export function expectedCollection(value: unknown): string {
  return classifyValue(value) === 'collection' ? 'a collection that can be read' : 'a collection';
}

/** Copies an array; undefined if it is too long or reading it throws. */
export function copyItems(value: unknown): unknown[] | undefined {
  return attempt(() =>
    Array.isArray(value) && value.length <= MAX_ITEMS ? Array.from<unknown>(value) : undefined,
  );
}

export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
