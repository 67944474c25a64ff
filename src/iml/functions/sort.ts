import { functionError } from '../../errors/iml-error.js';
import { isBuffer, isEmpty, isMissing, toInstant, toText } from '../values/coerce.js';
import { pathReader } from '../values/path.js';
import { quoted } from './arguments.js';

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
 * A sorted copy. Stable; numbers before dates, booleans, text and objects, whatever has no value last in both directions.
 * The order may be left out: `sort(contacts; name)`. Source: https://help.make.com/array-functions. [doc][open]
 */
export function sortList(list: readonly unknown[], order: unknown, key: unknown): unknown[] {
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
  throw functionError(`${quoted(order)} is not a valid order: asc, desc, asc ci or desc ci is expected.`);
}

function parseOrder(value: unknown): SortOrder | undefined {
  return typeof value === 'string' ? ORDERS.get(value.trim().toLowerCase()) : undefined;
}

/** Kinds of values in the order they are sorted. */
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
