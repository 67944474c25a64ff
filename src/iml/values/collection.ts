import { CASELESS, isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** A collection of the language. */
export function isCollection(value: unknown): value is PlainObject {
  return isPlainObject(value);
}

/** Names of the members that hold data, in their order. A function in data counts as absent. */
export function memberNames(collection: PlainObject): string[] {
  return Object.keys(collection).filter((name) => typeof collection[name] !== 'function');
}

/** A plain copy of the members whose name passes. */
export function filterMembers(collection: PlainObject, keep: (name: string) => boolean): PlainObject {
  const result: PlainObject = {};
  for (const name of memberNames(collection)) {
    if (keep(name)) setMember(result, name, collection[name]);
  }
  return result;
}

/**
 * A collection looked up without case, such as the headers of a response. Names are stored in lower case;
 * of names that differ only in case the later wins. [app]
 */
export function createCaseless(entries: Iterable<readonly [string, unknown]>): PlainObject {
  const result: PlainObject = Object.create(CASELESS);
  for (const [name, value] of entries) setMember(result, name.toLowerCase(), value);
  return result;
}
