import { StoreError } from '../../errors/store-error.js';
import { isBounded, isContaining, type Row, type TableDefinition } from '../record-store.js';

/** The rows of one table with what finds them fast. */
export interface MemoryTable {
  nextId(): number;
  /** @throws StoreError `STORE_CONFLICT` */
  put(row: Row): void;
  drop(row: Row): void;
  all(): Row[];
  /** Rows with one of the values in a column that is indexed; undefined if it is not. */
  lookup(column: string, values: ReadonlySet<unknown>): Row[] | undefined;
}

export function createMemoryTable(definition: TableDefinition<never>): MemoryTable {
  // `TableDefinition<never>` accepts the definition of any table; its names are plain texts here.
  const unique = (definition.unique ?? []) as readonly (readonly string[])[];
  const indexes = new Map<string, Map<unknown, Set<Row>>>();
  for (const column of [
    'id',
    ...(definition.indexes ?? []),
    ...unique.map((columns) => columns[0] ?? 'id'),
  ]) {
    indexes.set(column, new Map());
  }
  const rows = new Map<number, Row>();
  let lastId = 0;

  function assertUnique(row: Row): void {
    for (const columns of unique) {
      const values = columns.map((column) => Reflect.get(row, column));
      if (values.includes(null)) continue;
      const first = indexes.get(columns[0] ?? 'id')?.get(values[0]) ?? [];
      for (const other of first) {
        if (columns.every((column, index) => Reflect.get(other, column) === values[index])) {
          throw new StoreError('STORE_CONFLICT', `The value of ${columns.join(' and ')} is already taken.`);
        }
      }
    }
  }

  return {
    nextId: () => ++lastId,
    put: (row) => {
      assertUnique(row);
      rows.set(row.id, row);
      for (const [column, index] of indexes) {
        const value: unknown = Reflect.get(row, column);
        const bucket = index.get(value);
        if (bucket) bucket.add(row);
        else index.set(value, new Set([row]));
      }
    },
    drop: (row) => {
      rows.delete(row.id);
      for (const [column, index] of indexes) {
        const value: unknown = Reflect.get(row, column);
        const bucket = index.get(value);
        bucket?.delete(row);
        if (bucket?.size === 0) index.delete(value);
      }
    },
    all: () => [...rows.values()],
    lookup: (column, values) => {
      const index = indexes.get(column);
      if (index === undefined) return undefined;
      const found: Row[] = [];
      for (const value of values) {
        for (const row of index.get(value) ?? []) found.push(row);
      }
      return found;
    },
  };
}

/** What a row fits: a column with its condition, in which a set stands for "one of". */
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
