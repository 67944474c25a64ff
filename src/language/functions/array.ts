import { functionError } from '../../shared/errors/iml-error.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import type { Environment } from '../environment.js';
import { createDistinctKey, createEqualityKey } from '../values/identity.js';
import { pathReader, readIndex } from '../values/path.js';
import { assertListLength, assertTextLength } from '../values/size-limits.js';
import { isBuffer, isEmpty, isMissing, memberNames, toInstant, toText } from '../values/value.js';
import { asCollection, asInteger, asList, quoted } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Source: https://help.make.com/array-functions. `contains` and `length` are in `text.ts`. */
export const ARRAY_FUNCTIONS: FunctionsIn<'array'> = {
  add: (_, array, ...values) => concat([asList(array), values]),

  arrayDiff: (_, array, other) => {
    const keyOf = createEqualityKey();
    const excluded = new Set(mapList(asList(other), keyOf));
    return filterList(asList(array), (item) => !excluded.has(keyOf(item)));
  },

  // An item of both arrays is returned once. [inf]
  arrayIntersect: (_, array, other) => {
    const keyOf = createEqualityKey();
    const shared = new Set(mapList(asList(other), keyOf));
    return filterList(asList(array), (item) => shared.delete(keyOf(item)));
  },

  deduplicate: (_, array) => distinct(asList(array), undefined),
  distinct: (_, array, key) => distinct(asList(array), key),

  first: (_, array) => readIndex(asList(array), 1),
  last: (_, array) => readIndex(asList(array), -1),

  flatten: (_, array, depth) => flatten(asList(array), asInteger(depth, 1)),

  isArray: (_, value) => Array.isArray(value),

  join: (_, array, separator) => join(asList(array), isMissing(separator) ? ',' : toText(separator)),

  keys: (_, value) =>
    Array.isArray(value)
      ? mapList(asList(value), (_, index) => String(index))
      : memberNames(asCollection(value)),

  // Unlike other functions, `map` does not name the value in its message. [app]
  map: (_, array, key, filterKey, values) => {
    if (!isMissing(array) && !Array.isArray(array)) throw functionError('Invalid array');
    return mapItems(asList(array), key, filterKey, values);
  },

  // Arguments that are not arrays are ignored. [choice]
  merge: (_, ...arrays) => concat(arrays.filter(Array.isArray).map((array) => asList(array))),

  // The last and the first item. The array does not change. A value that is not an array returns undefined. [rt]
  pop: (_, array) => (Array.isArray(array) ? readIndex(array, -1) : undefined),
  shift: (_, array) => (Array.isArray(array) ? readIndex(array, 1) : undefined),

  remove: (_, array, ...values) => {
    const keyOf = createEqualityKey();
    const removed = new Set(values.filter(isPrimitive).map(keyOf));
    return filterList(asList(array), (item) => !isPrimitive(item) || !removed.has(keyOf(item)));
  },

  reverse: (_, array) => concat([asList(array)]).reverse(),
  shuffle: (environment, array) => shuffle(asList(array), environment),

  slice: (_, array, start, end) => {
    const list = asList(array);
    return concat([list]).slice(asInteger(start, 0), asInteger(end, list.length));
  },

  sort: (_, array, order, key) => sortList(asList(array), order, key),

  toArray: (_, value) => {
    if (Array.isArray(value))
      return mapList(asList(value), (item, index) => ({ key: String(index), value: item }));
    const collection = asCollection(value);
    return memberNames(collection).map((key) => ({ key, value: collection[key] }));
  },

  toCollection: (_, array, keyField, valueField) => toCollection(asList(array), keyField, valueField),
};

/** Like `Array.prototype.map`, but includes holes and reads nothing but the items of the array. */
function mapList<Result>(list: readonly unknown[], run: (item: unknown, index: number) => Result): Result[] {
  const result: Result[] = [];
  for (let index = 0; index < list.length; index++) result.push(run(list[index], index));
  return result;
}

function filterList(list: readonly unknown[], keep: (item: unknown) => boolean): unknown[] {
  const result: unknown[] = [];
  for (let index = 0; index < list.length; index++) {
    if (keep(list[index])) result.push(list[index]);
  }
  return result;
}

function concat(lists: readonly (readonly unknown[])[]): unknown[] {
  assertListLength(lists.reduce((length, list) => length + list.length, 0));
  const result: unknown[] = [];
  for (const list of lists) {
    for (let index = 0; index < list.length; index++) result.push(list[index]);
  }
  return result;
}

/** Returns the first item of each key. Items without the key count as equal. */
function distinct(list: readonly unknown[], key: unknown): unknown[] {
  const read = isEmpty(key) ? undefined : pathReader(toText(key));
  const keyOf = createDistinctKey();
  const seen = new Set<unknown>();
  return filterList(list, (item) => {
    const found = keyOf(read === undefined ? item : read(item));
    if (seen.has(found)) return false;
    seen.add(found);
    return true;
  });
}

interface FlattenFrame {
  readonly list: readonly unknown[];
  next: number;
}

/** Does not recurse, so any depth of the data is safe. */
function flatten(list: readonly unknown[], depth: number): unknown[] {
  const result: unknown[] = [];
  const frames: FlattenFrame[] = [{ list, next: 0 }];
  const open = new Set([list]);
  let steps = 0;
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.next === frame.list.length) {
      open.delete(frame.list);
      frames.pop();
      continue;
    }
    const item = frame.list[frame.next++];
    assertListLength(++steps);
    if (!Array.isArray(item) || frames.length > depth) {
      result.push(item);
      continue;
    }
    if (open.has(item)) throw functionError('Circular reference.');
    open.add(item);
    frames.push({ list: item, next: 0 });
  }
  return result;
}

function join(list: readonly unknown[], separator: string): string {
  let text = '';
  for (let index = 0; index < list.length; index++) {
    if (index > 0) text += separator;
    const item = list[index];
    text += toText(item);
    assertTextLength(text.length);
  }
  return text;
}

/**
 * Returns the defined values of `key`, or the items if `key` is empty. A filter selects the items whose `filterKey`, as
 * text, is one of `values`: a comma-separated text or an array.
 */
function mapItems(list: readonly unknown[], key: unknown, filterKey: unknown, values: unknown): unknown[] {
  const read = isEmpty(key) ? undefined : pathReader(toText(key));
  const passes = isEmpty(filterKey) ? undefined : compileFilter(toText(filterKey), values);
  const result: unknown[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (passes !== undefined && !passes(item)) continue;
    const value = read === undefined ? item : read(item);
    if (value !== undefined) result.push(value);
  }
  return result;
}

function compileFilter(key: string, values: unknown): (item: unknown) => boolean {
  const read = pathReader(key);
  const keyOf = createEqualityKey();
  const texts = Array.isArray(values) ? mapList(asList(values), toText) : toText(values).split(',');
  const allowed = new Set(texts.map(keyOf));
  return (item) => {
    const value = read(item);
    return !isMissing(value) && allowed.has(keyOf(toText(value)));
  };
}

function isPrimitive(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}

/** Fisher-Yates shuffle. The index is clamped, because `random` of the embedder may leave its range. */
function shuffle(list: readonly unknown[], environment: Environment): unknown[] {
  const result = concat([list]);
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.max(0, Math.min(index, Math.floor(environment.random() * (index + 1)) || 0));
    [result[index], result[other]] = [result[other], result[index]];
  }
  return result;
}

/** The last of duplicate keys wins. Items without a key are ignored. */
function toCollection(list: readonly unknown[], keyField: unknown, valueField: unknown): PlainObject {
  const readKey = pathReader(toText(keyField));
  const readValue = pathReader(toText(valueField));
  const result: PlainObject = {};
  for (let index = 0; index < list.length; index++) {
    const key = readKey(list[index]);
    if (isMissing(key)) continue;
    const name = toText(key);
    setMember(result, name, readValue(list[index]));
  }
  return result;
}

interface SortOrder {
  readonly direction: 1 | -1;
  readonly ignoreCase: boolean;
}

const ORDERS: ReadonlyMap<string, SortOrder> = new Map([
  ['asc', { direction: 1, ignoreCase: false }],
  ['desc', { direction: -1, ignoreCase: false }],
  ['asc ci', { direction: 1, ignoreCase: true }],
  ['desc ci', { direction: -1, ignoreCase: true }],
]);

const ASCENDING: SortOrder = { direction: 1, ignoreCase: false };

/**
 * Returns a sorted copy. The sort is stable: numbers, dates, booleans, text, objects. Items without a value come last in
 * both directions. The order is optional: `sort(contacts; name)`. Source: https://help.make.com/array-functions. [doc][open]
 */
function sortList(list: readonly unknown[], order: unknown, key: unknown): unknown[] {
  const plan = planSort(order, key);
  const read = isEmpty(plan.key) ? undefined : pathReader(toText(plan.key));
  const { direction, ignoreCase } = plan.order;
  const entries: Entry[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    entries.push(toEntry(item, read === undefined ? item : read(item), ignoreCase));
  }
  return entries.sort((a, b) => compare(a, b, direction)).map(({ item }) => item);
}

function planSort(order: unknown, key: unknown): { order: SortOrder; key: unknown } {
  if (isEmpty(order)) return { order: ASCENDING, key };
  const named = parseOrder(order);
  if (named !== undefined) return { order: named, key };
  if (isEmpty(key)) return { order: ASCENDING, key: order };
  const swapped = parseOrder(key);
  if (swapped !== undefined) return { order: swapped, key: order };
  throw functionError(`${quoted(order)} is not a valid order. Expected asc, desc, asc ci or desc ci.`);
}

function parseOrder(value: unknown): SortOrder | undefined {
  return typeof value === 'string' ? ORDERS.get(value.trim().toLowerCase()) : undefined;
}

/** Kinds of values in sort order. */
const RANK = { number: 0, date: 1, boolean: 2, text: 3, object: 4, missing: 5 } as const;

interface Entry {
  readonly item: unknown;
  readonly rank: number;
  readonly value: number | string;
}

function toEntry(item: unknown, key: unknown, ignoreCase: boolean): Entry {
  switch (typeof key) {
    case 'number':
      return Number.isNaN(key)
        ? { item, rank: RANK.missing, value: 0 }
        : { item, rank: RANK.number, value: key };
    case 'boolean':
      return { item, rank: RANK.boolean, value: key ? 1 : 0 };
    case 'string':
      return { item, rank: RANK.text, value: ignoreCase ? key.toLowerCase() : key };
    case 'object':
      return objectEntry(item, key, ignoreCase);
    default:
      return { item, rank: RANK.missing, value: 0 };
  }
}

function objectEntry(item: unknown, key: object | null, ignoreCase: boolean): Entry {
  if (isMissing(key)) return { item, rank: RANK.missing, value: 0 };
  const instant = toInstant(key);
  if (instant !== undefined) {
    return Number.isNaN(instant)
      ? { item, rank: RANK.missing, value: 0 }
      : { item, rank: RANK.date, value: instant };
  }
  const text = toText(key);
  const rank = Array.isArray(key) || isBuffer(key) ? RANK.text : RANK.object;
  return { item, rank, value: ignoreCase ? text.toLowerCase() : text };
}

function compare(a: Entry, b: Entry, direction: 1 | -1): number {
  if (a.rank === b.rank) return a.value < b.value ? -direction : a.value > b.value ? direction : 0;
  if (a.rank === RANK.missing || b.rank === RANK.missing) return a.rank - b.rank;
  return (a.rank - b.rank) * direction;
}
