import { toText } from './coerce.js';
import { isCollection } from './collection.js';
import { readItem, readOwn } from './own-member.js';
import { readPlain } from './path-step.js';

/** Names every object literal inherits; only these need a look at who owns the member. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Most names are shorter, and need not be looked up. */
const SHORTEST_INHERITED = Math.min(...[...INHERITED].map((name) => name.length));

type Reader = (value: unknown) => unknown;

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

/** Whether every object literal has something under this name already. */
export function isInherited(name: string): boolean {
  return name.length >= SHORTEST_INHERITED && INHERITED.has(name);
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
