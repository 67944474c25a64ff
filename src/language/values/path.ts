import { isCaseless, type PlainObject } from '../../shared/plain-object.js';
import { isCollection, toText } from './value.js';

/** Names of `Object.prototype`. Only these need an own-property check when read from a plain object. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Shorter names, as most are, need no lookup in the set. */
const SHORTEST_INHERITED = Math.min(...[...INHERITED].map((name) => name.length));

type Reader = (value: unknown) => unknown;

/**
 * Reads a member of plain data: an own member of a collection, or an item of an array by its 1-based number.
 * Anything else, including a function, reads as undefined.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml; docs/security.md.
 */
export function readMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return isInherited(name) ? readOwn(value, name) : readPlain(value, name);
}

/** Returns `readMember` specialized for one name. */
export function memberReader(name: string): Reader {
  return isInherited(name)
    ? (value) => (typeof value === 'object' && value !== null ? readOwn(value, name) : undefined)
    : (value) => (typeof value === 'object' && value !== null ? readPlain(value, name) : undefined);
}

/** Whether plain objects inherit a property of this name. */
function isInherited(name: string): boolean {
  return name.length >= SHORTEST_INHERITED && INHERITED.has(name);
}

/**
 * Reads `value[index]`: an item of an array by its 1-based number, counted from the end if negative, or a member of a
 * collection. A number out of range and an index of another type read as undefined.
 */
export function readIndex(value: unknown, index: unknown): unknown {
  if (typeof index === 'number') {
    return Array.isArray(value) ? readItem(value, index) : readMember(value, toText(index));
  }
  return typeof index === 'string' ? readMember(value, index) : undefined;
}

/** Reads `value[]`: the first item of an array; any other value is returned unchanged. [choice] */
export function readFirst(value: unknown): unknown {
  if (Array.isArray(value)) return readItem(value, 1);
  return typeof value === 'function' ? undefined : value;
}

/** Reads a dotted path; undefined if a step has no value. A member whose name is the whole path has precedence. */
export function getPath(value: unknown, path: string): unknown {
  return pathReader(path)(value);
}

/** Returns `getPath` specialized for one path. */
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

const ITEM_NUMBER = /^-?\d+$/;

/** Reads an own member of any collection, or an item of an array by its 1-based number. */
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
  // An index out of range would be looked up in the prototypes.
  const item = index >= 0 && index < array.length ? array[index] : undefined;
  return typeof item === 'function' ? undefined : item;
}

/** Returns a reader of a path: a name of the scope, then members. */
export function scopePathReader(names: readonly string[]): PathReader {
  for (const name of names) if (isInherited(name)) return stepwiseReader(names);
  const root = names[0] ?? '';
  const second = names[1];
  if (second === undefined) return nameReader(root);
  let read = firstStep(root, second);
  for (let index = 2; index < names.length; index++) read = furtherStep(read, names[index] ?? '');
  return read;
}

function nameReader(name: string): PathReader {
  return (scope) => {
    const value = scope[name];
    return typeof value === 'function' ? undefined : value;
  };
}

function stepwiseReader(names: readonly string[]): PathReader {
  const readers = names.map(memberReader);
  return (scope) => {
    let value: unknown = scope;
    for (const read of readers) value = read(value);
    return value;
  };
}

/** Reads a path in a scope. The second parameter is internal to `STEPS`. */
export type PathReader = (scope: PlainObject, of?: unknown) => unknown;

/**
 * Reads the member `name` of the value of `of`. All entries are the same function, because V8 keeps one inline cache per
 * function literal: a name with its own literal stays monomorphic. The first names that a process compiles get one
 * literal each; all other names share the last one.
 */
// biome-ignore format: one line per literal.
const STEPS: readonly ((of: PathReader, name: string) => PathReader)[] = [
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
];

const stepOfName = new Map<string, number>();

/** Reads a name of the scope, then a member. Neither name may be inherited. */
export function firstStep(root: string, name: string): PathReader {
  // `item` is read for every record, so it gets its own literal.
  return furtherStep(root === 'item' ? (scope) => scope['item'] : (scope) => scope[root], name);
}

/** Reads a further step of a path. The name may not be inherited. */
export function furtherStep(of: PathReader, name: string): PathReader {
  const step = stepOfName.get(name) ?? Math.min(stepOfName.size, STEPS.length - 1);
  if (stepOfName.size < STEPS.length) stepOfName.set(name, step);
  return (STEPS[step] as (typeof STEPS)[number])(of, name);
}

function readOther(value: unknown, name: string): unknown {
  return isObject(value) ? readPlain(value, name) : undefined;
}

/** Reads a name that is not inherited from `Object.prototype`: in most objects such a member is own. */
function readPlain(value: object, name: string): unknown {
  return showsOwn(value) ? asData(value[name]) : readOwn(value, name);
}

function asData(member: unknown): unknown {
  return typeof member === 'function' ? undefined : member;
}

/** Whether members that `Object.prototype` lacks are own members of this object: true for plain objects. */
export function showsOwn(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  // Not a proof by itself, but the read lets V8 cache the shape, which makes the check of the prototype fast.
  if (value['constructor'] === Object && Object.getPrototypeOf(value) === Object.prototype) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null;
}
