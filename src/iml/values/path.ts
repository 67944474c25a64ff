import { isCaseless, type PlainObject } from '../../util/plain-object.js';
import { toText } from './coerce.js';
import { isCollection } from './collection.js';
import { spend } from './work.js';

/** Names every object literal inherits; only these need a look at who owns the member. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Most names are shorter, and need not be looked up. */
const SHORTEST_INHERITED = Math.min(...[...INHERITED].map((name) => name.length));

const ITEM_NUMBER = /^-?\d+$/;

type Reader = (value: unknown) => unknown;

/** The record an object is made of just now: one that shows its own members only. */
let record: object | undefined;

/**
 * Reads a member of plain data by its name: own members of collections, items of arrays by their 1-based number.
 * Everything else, functions included, reads as undefined.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml; docs/security.md.
 */
export function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return isInherited(name) ? readOwn(value, name) : readPlain(value, name);
}

/** `readMember` for one name, with all that depends on the name alone done beforehand. */
export function memberReader(name: string): Reader {
  return isInherited(name)
    ? (value) => (typeof value === 'object' && value !== null ? readOwn(value, name) : undefined)
    : (value) => (typeof value === 'object' && value !== null ? readPlain(value, name) : undefined);
}

/**
 * Reads a name of a scope, then members, one after the other. Most paths have one to three names, and a closure for
 * each step would cost as much as the step.
 */
export function scopePathReader(names: readonly string[]): (scope: PlainObject) => unknown {
  for (const name of names) if (isInherited(name)) return stepwiseReader(names);
  const first = names[0] ?? '';
  const second = names[1] ?? '';
  const third = names[2] ?? '';
  if (first === 'item' && (names.length === 2 || names.length === 3)) return itemReader(second, names[2]);
  switch (names.length) {
    case 1:
      return (scope) => {
        const value = scope[first];
        return typeof value === 'function' ? undefined : value;
      };
    case 2:
      return (scope) => {
        const value = scope[first];
        return typeof value === 'object' && value !== null ? readPlain(value, second) : undefined;
      };
    case 3:
      return (scope) => {
        const value = scope[first];
        if (typeof value !== 'object' || value === null) return undefined;
        const member = readPlain(value, second);
        return typeof member === 'object' && member !== null ? readPlain(member, third) : undefined;
      };
    default:
      return stepwiseReader(names);
  }
}

/**
 * Paths that start at `item` are read for every record, not once a page. A name written out here is found in a third of
 * the time of one that a variable holds.
 */
function itemReader(second: string, third: string | undefined): (scope: PlainObject) => unknown {
  if (third === undefined) {
    return (scope) => {
      const value = scope['item'];
      return typeof value === 'object' && value !== null ? readPlain(value, second) : undefined;
    };
  }
  return (scope) => {
    const value = scope['item'];
    if (typeof value !== 'object' || value === null) return undefined;
    const member = readPlain(value, second);
    return typeof member === 'object' && member !== null ? readPlain(member, third) : undefined;
  };
}

/** Whether every object literal has something under this name already. */
export function isInherited(name: string): boolean {
  return name.length >= SHORTEST_INHERITED && INHERITED.has(name);
}

function stepwiseReader(names: readonly string[]): Reader {
  const readers = names.map(memberReader);
  return (scope) => {
    let value: unknown = scope;
    for (const read of readers) value = read(value);
    return value;
  };
}

/**
 * Reads `value[index]`: an item of an array by its 1-based number, from the end if negative, or a member of a
 * collection by its name. Numbers that are no item, and indices of other types, read as undefined.
 */
export function readIndex(value: unknown, index: unknown): unknown {
  if (typeof index === 'number') {
    return Array.isArray(value) ? readItem(value, index) : readMember(value, toText(index));
  }
  return typeof index === 'string' ? readMember(value, index) : undefined;
}

/** Reads `value[]`: the first item of an array, and anything else itself. [choice] */
export function readFirst(value: unknown): unknown {
  if (Array.isArray(value)) return readItem(value, 1);
  return typeof value === 'function' ? undefined : value;
}

/** The value at a dotted path, undefined where the path leads nowhere. A member named as the whole path goes first. */
export function getPath(value: unknown, path: string): unknown {
  return pathReader(path)(value);
}

/** `getPath` for one path that is read on many values. */
export function pathReader(path: string): Reader {
  const whole = memberReader(path);
  if (!path.includes('.')) return whole;
  spend(path.length);
  const segments = path.split('.');
  return (value) => {
    const named = isCollection(value) ? whole(value) : undefined;
    return named === undefined ? readSegments(value, segments) : named;
  };
}

function readSegments(value: unknown, segments: readonly string[]): unknown {
  let current = value;
  for (const segment of segments) {
    if (current === undefined || current === null) return undefined;
    current = readMember(current, segment);
  }
  return current;
}

/**
 * Whether all that an object shows under a name that `Object.prototype` lacks is its own: its prototype decides, whatever
 * `constructor` says. To ask for the prototype is a call into the engine, unless the engine knows the shape of the object by
 * then; a name read before, as `constructor` is, tells it, where no more than four shapes pass.
 */
export function showsOwn(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  if (value === record) return true;
  if ((value as PlainObject)['constructor'] === Object && Object.getPrototypeOf(value) === Object.prototype)
    return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Runs what reads one record over and over, so that it is looked at once. It has to be done before anybody can change
 * the prototype of the record; the evaluation of an object is.
 *
 * @param source a record for which `showsOwn` holds; undefined where there is none
 */
export function withRecord<Input, Output>(
  source: PlainObject | undefined,
  run: (source: PlainObject | undefined, input: Input) => Output,
  input: Input,
): Output {
  const outer = record;
  record = source;
  try {
    return run(source, input);
  } finally {
    record = outer;
  }
}

/** The fast way for a name that `Object.prototype` lacks: what is there is own. */
function readPlain(value: object, name: string): unknown {
  if (!showsOwn(value)) return readOwn(value, name);
  const member = value[name];
  return typeof member === 'function' ? undefined : member;
}

function readOwn(value: object, name: string): unknown {
  if (Array.isArray(value)) return ITEM_NUMBER.test(name) ? readItem(value, Number(name)) : undefined;
  const key = isCaseless(value) ? name.toLowerCase() : name;
  if (!isCollection(value) || !Object.hasOwn(value, key)) return undefined;
  const member = value[key];
  return typeof member === 'function' ? undefined : member;
}

function readItem(array: readonly unknown[], number: number): unknown {
  if (!Number.isInteger(number) || number === 0) return undefined;
  const index = number > 0 ? number - 1 : array.length + number;
  // Out of range, an index would be a name to look up on the prototypes.
  const item = index >= 0 && index < array.length ? array[index] : undefined;
  return typeof item === 'function' ? undefined : item;
}
