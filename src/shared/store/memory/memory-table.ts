import { StoreError } from '../../errors/engine-error.js';
import { isBounded, isContaining, type Row, type TableDefinition } from '../record-store.js';
import { inOrder } from './compare.js';

/** The rows of one table and its indexes. */
export interface MemoryTable {
  nextId(): number;
  /** @throws StoreError `STORE_CONFLICT` */
  put(row: Row): void;
  drop(row: Row): void;
  all(): Row[];
  /** Sorts rows by a column, equal values by id. */
  order(some: readonly Row[], column: string, descending: boolean): Row[];
  /** Rows with one of the values in an indexed column; undefined if the column has no index. */
  lookup(column: string, values: ReadonlySet<unknown>): Row[] | undefined;
}

export function createMemoryTable(definition: TableDefinition<never>): MemoryTable {
  // `TableDefinition<never>` accepts the definition of any table. Its column names are plain strings here.
  const unique = (definition.unique ?? []) as readonly (readonly string[])[];
  const rows = new Map<number, Row>();
  const indexes = new Map<string, Map<unknown, Bucket>>();
  for (const column of [...(definition.indexes ?? []), ...unique.map((columns) => columns[0] ?? 'id')]) {
    indexes.set(column, new Map());
  }
  const uniques = unique.map((columns) => ({ columns, taken: new Set<string>() }));
  /** Sorted lists of all rows, valid until the next change. */
  const orders = new Map<string, readonly Row[]>();
  let lastId = 0;

  function assertUnique(row: Row): void {
    for (const { columns, taken } of uniques) {
      if (!taken.has(uniqueKey(row, columns) ?? '')) continue;
      throw new StoreError('STORE_CONFLICT', `The value of ${columns.join(' and ')} is already taken.`);
    }
  }

  return {
    nextId: () => ++lastId,
    put: (row) => {
      assertUnique(row);
      for (const { columns, taken } of uniques) {
        const key = uniqueKey(row, columns);
        if (key !== undefined) taken.add(key);
      }
      rows.set(row.id, row);
      orders.clear();
      for (const [column, index] of indexes) {
        const value: unknown = Reflect.get(row, column);
        const bucket = index.get(value);
        if (bucket === undefined) index.set(value, row);
        else if (bucket instanceof Set) bucket.add(row);
        else index.set(value, new Set([bucket, row]));
      }
    },
    drop: (row) => {
      rows.delete(row.id);
      for (const { columns, taken } of uniques) taken.delete(uniqueKey(row, columns) ?? '');
      orders.clear();
      for (const [column, index] of indexes) {
        const value: unknown = Reflect.get(row, column);
        const bucket = index.get(value);
        if (bucket instanceof Set) bucket.delete(row);
        if (!(bucket instanceof Set) || bucket.size === 0) index.delete(value);
      }
    },
    all: () => [...rows.values()],
    order: (some, column, descending) => {
      // Small selections are sorted directly. Large ones filter a sorted list that is cached until the next change.
      if (some.length * MOST_PASSED < rows.size || some.length < FEW) {
        return inOrder(some, column, descending);
      }
      const key = `${descending} ${column}`;
      const known = orders.get(key);
      if (known !== undefined) return filterSorted(known, some);
      const all = inOrder([...rows.values()], column, descending);
      orders.set(key, all);
      return filterSorted(all, some);
    },
    lookup: (column, values) => {
      const found: Row[] = [];
      if (column === 'id') {
        for (const value of values) {
          const row = typeof value === 'number' ? rows.get(value) : undefined;
          if (row) found.push(row);
        }
        return found;
      }
      const index = indexes.get(column);
      if (index === undefined) return undefined;
      for (const value of values) {
        for (const row of listBucket(index.get(value))) found.push(row);
      }
      return found;
    },
  };
}

/** Key of a unique constraint; undefined if a column is null, because null equals nothing. */
function uniqueKey(row: Row, columns: readonly string[]): string | undefined {
  const values = columns.map((column) => Reflect.get(row, column));
  return values.some((value) => value === null || value === undefined) ? undefined : JSON.stringify(values);
}

/** The rows of one value. Most values have one row. */
type Bucket = Row | Set<Row>;

function listBucket(bucket: Bucket | undefined): Iterable<Row> {
  if (bucket === undefined) return [];
  return bucket instanceof Set ? bucket : [bucket];
}

/** Filters a sorted list to the selected rows. */
function filterSorted(known: readonly Row[], some: readonly Row[]): Row[] {
  if (some.length === known.length) return [...known];
  const selected = new Set(some);
  return known.filter((row) => selected.has(row));
}

/** Selections below this size are sorted directly; so are those below a share of all rows. */
const FEW = 50;
const MOST_PASSED = 8;

/** A column and its condition. A set means "one of". */
export type ColumnCondition = readonly [column: string, condition: unknown];

export function matches(row: Row, conditions: readonly ColumnCondition[]): boolean {
  for (const [column, condition] of conditions) {
    const value: unknown = Reflect.get(row, column);
    if (condition instanceof Set) {
      if (!condition.has(value)) return false;
    } else if (Array.isArray(condition)) {
      if (!condition.includes(value)) return false;
    } else if (isContaining(condition)) {
      if (typeof value !== 'string' || !value.includes(condition.containing)) return false;
    } else if (isBounded(condition)) {
      if (value === null && condition.orNull === true) continue;
      if (typeof value !== 'number') return false;
      if ('atMost' in condition ? value > condition.atMost : value <= condition.above) return false;
    } else if (value !== condition) return false;
  }
  return true;
}
