import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

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
