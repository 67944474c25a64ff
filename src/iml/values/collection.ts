import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { spend } from './work.js';

/** A collection of the language. */
export function isCollection(value: unknown): value is PlainObject {
  return isPlainObject(value);
}

/** To look at a member, or to copy it. */
export const STEPS_OF_NAME = 16;

/** Names of the members that hold data, in their order. A function in data counts as absent. */
export function memberNames(collection: PlainObject): string[] {
  const names = Object.keys(collection);
  spend(STEPS_OF_NAME * names.length);
  return names.filter((name) => typeof collection[name] !== 'function');
}

/** A plain copy of the members whose name passes. */
export function filterMembers(collection: PlainObject, keep: (name: string) => boolean): PlainObject {
  const result: PlainObject = {};
  for (const name of memberNames(collection)) {
    spend(STEPS_OF_NAME);
    if (keep(name)) setMember(result, name, collection[name]);
  }
  return result;
}

/** Of a name that is copied into a collection with many. */
const STEPS_OF_COPIED_NAME = 18;

/** Counts names before they are copied. @throws as `spend` */
export function countNames(count: number): void {
  spend(STEPS_OF_COPIED_NAME * count);
}
