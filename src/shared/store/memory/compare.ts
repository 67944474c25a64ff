import type { Row } from '../record-store.js';

/** Compares as the databases do: null first, numbers by value, strings by code point. */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareCodePoints(String(a), String(b));
}

/** UTF-16 order puts U+E000..U+FFFF after the astral planes. UTF-8 order, which both databases use, does not. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** From this code unit on, UTF-16 order and code point order differ. */
const HIGH_UNIT = /[\ud800-\uffff]/;

/** Sorts rows by a column, equal values by id. Reads each value once. */
export function inOrder<R extends Row>(rows: readonly R[], column: string, descending: boolean): R[] {
  const keyed = rows.map((row) => readKey(row, column));
  const compare = keyed.every(({ key }) => isLowText(key)) ? compareUnits : compareValues;
  return keyed.sort(createOrder(compare, descending)).map(({ row }) => row);
}

/** A row with its sort key. */
interface Keyed<R extends Row> {
  readonly row: R;
  readonly key: unknown;
}

function readKey<R extends Row>(row: R, column: string): Keyed<R> {
  return { row, key: Reflect.get(row, column) };
}

type Order = (a: Keyed<Row>, b: Keyed<Row>) => number;

function createOrder(compare: (a: unknown, b: unknown) => number, descending: boolean): Order {
  const sign = descending ? -1 : 1;
  return (a, b) => sign * (compare(a.key, b.key) || a.row.id - b.row.id);
}

function isLowText(value: unknown): value is string {
  return typeof value === 'string' && !HIGH_UNIT.test(value);
}

/** Native comparison, several times faster. */
function compareUnits(a: unknown, b: unknown): number {
  if (a === b) return 0;
  return String(a) < String(b) ? -1 : 1;
}
