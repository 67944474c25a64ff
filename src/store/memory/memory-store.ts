import { StoreError } from '../../errors/store-error.js';
import { compareValues } from './compare.js';
import { createMemoryTable, type MemoryTable, matches } from './memory-table.js';
import {
  type CountedWindow,
  isBounded,
  isContaining,
  isWithin,
  type Query,
  type RecordReader,
  type RecordStore,
  type RecordWriter,
  type Row,
  type TableDefinitions,
  type Tables,
} from '../record-store.js';

type AnyWhere = Readonly<Record<string, unknown>>;

/**
 * A store of one process that forgets everything at its end.
 * Transactions run one after the other; readers outside of one wait for it, so nobody sees half of a change.
 */
export function createMemoryStore<T extends Tables>(definitions: TableDefinitions<T>): RecordStore<T> {
  const tables = new Map(Object.entries(definitions).map(([name, it]) => [name, createMemoryTable(it)]));
  const windows = new Map<string, CountedWindow>();
  let last: Promise<unknown> = Promise.resolve();
  const reader = createReader<T>(tables);

  function queue<R>(work: () => Promise<R>): Promise<R> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  return {
    capabilities: { durable: false, reach: 'process' },
    get: (table, where) => last.then(() => reader.get(table, where)),
    find: (table, query) => last.then(() => reader.find(table, query)),
    firstOf: (table, column, values, where) => last.then(() => reader.firstOf(table, column, values, where)),
    count: (table, where) => last.then(() => reader.count(table, where)),
    countBy: (table, column, where) => last.then(() => reader.countBy(table, column, where)),
    transaction: (work) => queue(() => runTransaction(tables, reader, work)),
    countInWindow: async (name, nowMs, windowMs) => {
      const current = windows.get(name);
      const open = current && Math.abs(nowMs - current.startedAtMs) < windowMs;
      const next = open
        ? { startedAtMs: current.startedAtMs, count: current.count + 1 }
        : { startedAtMs: nowMs, count: 1 };
      windows.set(name, next);
      return next;
    },
    close: async () => undefined,
  };
}

async function runTransaction<T extends Tables, R>(
  tables: ReadonlyMap<string, MemoryTable>,
  reader: RecordReader<T>,
  work: (writer: RecordWriter<T>) => Promise<R>,
): Promise<R> {
  const undo: (() => void)[] = [];
  try {
    return await work(createWriter(tables, reader, undo));
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

function createReader<T extends Tables>(tables: ReadonlyMap<string, MemoryTable>): RecordReader<T> {
  const select = (name: string, where: AnyWhere = {}): Row[] => {
    const resolved = resolveWithin(tables, where);
    return candidates(tableOf(tables, name), resolved).filter((row) => matches(row, resolved));
  };
  // The rows of a table have the type its name stands for: only `insert` adds them, and it is typed by the same name.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  return {
    get: async (name, where) => typed<typeof name>(select(name, where).sort(byId))[0],
    find: async (name, query = {}) => typed<typeof name>(ordered(select(name, query.where), query)),
    firstOf: async (name, column, values, where) => {
      const firsts = [...new Set(values)].flatMap((value) =>
        select(name, { ...where, [column]: value })
          .sort(byId)
          .slice(0, 1),
      );
      return typed<typeof name>(firsts.sort(byId));
    },
    count: async (name, where) => select(name, where).length,
    countBy: async (name, column, where) => {
      const counts = new Map<T[typeof name][typeof column], number>();
      for (const row of typed<typeof name>(select(name, where))) {
        counts.set(row[column], (counts.get(row[column]) ?? 0) + 1);
      }
      return counts;
    },
  };
}

function createWriter<T extends Tables>(
  tables: ReadonlyMap<string, MemoryTable>,
  reader: RecordReader<T>,
  undo: (() => void)[],
): RecordWriter<T> {
  const insert: RecordWriter<T>['insert'] = async (name, row) => {
    const table = tableOf(tables, name);
    // `id` is the one member `Omit` took away.
    const added = Object.freeze({ ...row, id: table.nextId() }) as unknown as T[typeof name];
    table.put(added);
    undo.push(() => table.drop(added));
    return added;
  };
  return {
    ...reader,
    getLocked: reader.get,
    insert,
    insertAll: async (name, rows) => {
      const added: T[typeof name][] = [];
      for (const row of rows) added.push(await insert(name, row));
      return added;
    },
    update: async (name, where, change) => {
      const table = tableOf(tables, name);
      const rows = await reader.find(name, { where });
      for (const row of rows) {
        table.drop(row);
        undo.push(() => table.put(row));
        const changed = Object.freeze({ ...row, ...change });
        table.put(changed);
        undo.push(() => table.drop(changed));
      }
      return rows.length;
    },
    remove: async (name, where) => {
      const table = tableOf(tables, name);
      const rows = await reader.find(name, { where });
      for (const row of rows) {
        table.drop(row);
        undo.push(() => table.put(row));
      }
      return rows.length;
    },
  };
}

function tableOf(tables: ReadonlyMap<string, MemoryTable>, name: string): MemoryTable {
  const table = tables.get(name);
  if (!table) throw new StoreError('STORE_FAILED', `There is no table "${name}".`);
  return table;
}

function resolveWithin(tables: ReadonlyMap<string, MemoryTable>, where: AnyWhere): AnyWhere {
  const entries = Object.entries(where).map(([column, condition]) => {
    if (!isWithin(condition)) return [column, condition];
    const inner = resolveWithin(tables, condition.where);
    const rows = candidates(tableOf(tables, condition.within), inner).filter((row) => matches(row, inner));
    return [column, new Set(rows.map((row) => Reflect.get(row, condition.column)))];
  });
  return Object.fromEntries(entries);
}

function candidates(table: MemoryTable, where: AnyWhere): Row[] {
  for (const [column, condition] of Object.entries(where)) {
    if (isContaining(condition) || isBounded(condition)) continue;
    const values = condition instanceof Set || Array.isArray(condition) ? [...condition] : [condition];
    const found = table.lookup(column, values);
    if (found) return found;
  }
  return table.all();
}

function ordered<R extends Row>(rows: Row[], query: Query<R>): Row[] {
  const { sortBy = 'id', descending = false, offset = 0, limit = rows.length } = query;
  const sign = descending ? -1 : 1;
  rows.sort(
    (a, b) => sign * compareValues(Reflect.get(a, sortBy), Reflect.get(b, sortBy)) || sign * (a.id - b.id),
  );
  return rows.slice(offset, offset + limit);
}

function byId(a: Row, b: Row): number {
  return a.id - b.id;
}
