import { isCaseless } from '../../util/plain-object.js';
import { isCollection } from './collection.js';

const ITEM_NUMBER = /^-?\d+$/;

/** Reads an own member of a collection of any kind, or an item of an array by its 1-based number. */
export function readOwn(value: object, name: string): unknown {
  if (Array.isArray(value)) return ITEM_NUMBER.test(name) ? readItem(value, Number(name)) : undefined;
  const key = isCaseless(value) ? name.toLowerCase() : name;
  if (!isCollection(value) || !Object.hasOwn(value, key)) return undefined;
  const member = value[key];
  return typeof member === 'function' ? undefined : member;
}

export function readItem(array: readonly unknown[], number: number): unknown {
  if (!Number.isInteger(number) || number === 0) return undefined;
  const index = number > 0 ? number - 1 : array.length + number;
  // Out of range, an index would be a name to look up on the prototypes.
  const item = index >= 0 && index < array.length ? array[index] : undefined;
  return typeof item === 'function' ? undefined : item;
}
