import { isCaseless, type PlainObject } from '../../util/plain-object.js';
import { toText } from './coerce.js';
import { isCollection } from './collection.js';

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

const ITEM_NUMBER = /^-?\d+$/;

/** Reads an own member of a collection of any kind, or an item of an array by its 1-based number. */
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

/** Reads a name of a scope, then members, one after the other. */
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

/** Reads what a path leads to in a scope. The second parameter is internal to `STEPS`. */
export type PathReader = (scope: PlainObject, of?: unknown) => unknown;

/**
 * Reads the member `name` of what `of` gives. All are the same function: V8 caches for each function literal where a name
 * is in the objects that pass, so that a name with a literal of its own is found at once. The first names that a process
 * compiles have one each, all others share the last.
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

/** Reads a name of the scope, then a member. Neither name is one that objects inherit. */
export function firstStep(root: string, name: string): PathReader {
  // `item` is read for every record: no other name may slow it down.
  return furtherStep(root === 'item' ? (scope) => scope['item'] : (scope) => scope[root], name);
}

/** Reads a further step of a path. The name is none that objects inherit. */
export function furtherStep(of: PathReader, name: string): PathReader {
  const step = stepOfName.get(name) ?? Math.min(stepOfName.size, STEPS.length - 1);
  if (stepOfName.size < STEPS.length) stepOfName.set(name, step);
  return (STEPS[step] as (typeof STEPS)[number])(of, name);
}

function readOther(value: unknown, name: string): unknown {
  return isObject(value) ? readPlain(value, name) : undefined;
}

/** Reads a name that `Object.prototype` lacks: what is there in most objects is own. */
function readPlain(value: object, name: string): unknown {
  return showsOwn(value) ? asData(value[name]) : readOwn(value, name);
}

function asData(member: unknown): unknown {
  return typeof member === 'function' ? undefined : member;
}

/** Whether all that an object shows under a name that `Object.prototype` lacks is its own: its prototype decides. */
export function showsOwn(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  if (value === record) return true;
  // `constructor` is no answer, but once it is read, V8 knows the shape of the object and its prototype.
  if (value['constructor'] === Object && Object.getPrototypeOf(value) === Object.prototype) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null;
}

/** The record an object is made of now: one that shows its own members only. */
let record: object | undefined;

/**
 * Runs what reads one record over and over, so that it is checked once. Nothing may change the prototype of the record
 * meanwhile, as the evaluation of an object cannot.
 *
 * @param known a record of which `showsOwn` holds; undefined if there is none
 */
export function withRecord<Input, Output>(
  known: PlainObject | undefined,
  run: (input: Input) => Output,
  input: Input,
): Output {
  const outer = record;
  record = known;
  try {
    return run(input);
  } finally {
    record = outer;
  }
}
