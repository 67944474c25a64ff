import { CASELESS, isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';

/** Whether a value is a collection of the language. */
export function isCollection(value: unknown): value is PlainObject {
  return isPlainObject(value);
}

/** Lists the names of the members in order. A member that is a function counts as absent. */
export function memberNames(collection: PlainObject): string[] {
  return Object.keys(collection).filter((name) => typeof collection[name] !== 'function');
}

/** Copies the members whose name passes `keep`. */
export function filterMembers(collection: PlainObject, keep: (name: string) => boolean): PlainObject {
  const result: PlainObject = {};
  for (const name of memberNames(collection)) {
    if (keep(name)) setMember(result, name, collection[name]);
  }
  return result;
}

/**
 * Creates a collection with case-insensitive names, such as the headers of a response. Names are stored in lower case.
 * If names differ only in case, the last one wins. [app]
 */
export function createCaseless(entries: Iterable<readonly [string, unknown]>): PlainObject {
  const result: PlainObject = Object.create(CASELESS);
  for (const [name, value] of entries) setMember(result, name.toLowerCase(), value);
  return result;
}
