import { StoreError } from '../../errors/engine-error.js';
import { completeRow, withId } from '../complete-row.js';
import {
  type AddedRows,
  type CountedWindow,
  isBounded,
  isContaining,
  isWithin,
  type LinkedRows,
  type LinkSource,
  type LinkValues,
  type Query,
  type QueryResults,
  type RecordReader,
  type RecordStore,
  type RecordWriter,
  type Row,
  type TableDefinitions,
  type Tables,
  type Tally,
  type Where,
} from '../record-store.js';
import { compareValues } from './compare.js';
import { type ColumnCondition, createMemoryTable, type MemoryTable, matches } from './memory-table.js';

type AnyWhere = Readonly<Record<string, unknown>>;

/**
 * Creates an in-memory store. Transactions run one after the other. Readers outside a transaction wait for it, so
 * they never see uncommitted changes.
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
    getLinked: (links, values) => last.then(() => reader.getLinked(links, values)),
    queryAll: (queries) => last.then(() => reader.queryAll(queries)),
    get: (table, where) => last.then(() => reader.get(table, where)),
    find: (table, query) => last.then(() => reader.find(table, query)),
    firstOf: (table, query) => last.then(() => reader.firstOf(table, query)),
    distinct: (table, column, where) => last.then(() => reader.distinct(table, column, where)),
    tally: (table, column, summed, where) => last.then(() => reader.tally(table, column, summed, where)),
    count: (table, where) => last.then(() => reader.count(table, where)),
    countBy: (table, column, where) => last.then(() => reader.countBy(table, column, where)),
    transaction: (work) =>
      queue(async () => {
        const callbacks: (() => void)[] = [];
        const result = await runUndone((undo) => work(createWriter(tables, reader, undo, callbacks)));
        for (const callback of callbacks) callback();
        return result;
      }),
    insertLinked: (rows) =>
      queue(() =>
        // Each row belongs to the table it names.
        runUndone(async (undo) => addLinked(tables, undo, rows) as AddedRows<T, typeof rows>),
      ),
    countInWindow: async (name, nowMs, windowMs) => {
      const current = windows.get(name);
      const open = current && Math.abs(nowMs - current.startedAtMs) < windowMs;
      const next = open
        ? { startedAtMs: current.startedAtMs, count: current.count + 1 }
        : { startedAtMs: nowMs, count: 1 };
      windows.set(name, next);
      return next;
    },
    shrink: async () => undefined,
    close: async () => undefined,
  };
}

type Undo = (() => void)[];

/** Runs work and undoes its changes if it throws. */
async function runUndone<R>(work: (undo: Undo) => Promise<R>): Promise<R> {
  const undo: Undo = [];
  try {
    return await work(undo);
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

function addRow(tables: ReadonlyMap<string, MemoryTable>, undo: Undo, name: string, row: object): Row {
  const table = requireTable(tables, name);
  const added: Row = Object.freeze(withId(table.nextId(), row));
  table.put(added);
  undo.push(() => table.drop(added));
  return added;
}

function addLinked(
  tables: ReadonlyMap<string, MemoryTable>,
  undo: Undo,
  rows: Readonly<Record<string, { readonly table: string; readonly row: object } | undefined>>,
): Record<string, Row> {
  const added: Record<string, Row> = {};
  for (const [name, it] of Object.entries(rows)) {
    if (it === undefined) continue;
    const completed = completeRow(it.row, (before) => added[before]?.id);
    added[name] = addRow(tables, undo, it.table, completed);
  }
  return added;
}

function createReader<T extends Tables>(tables: ReadonlyMap<string, MemoryTable>): RecordReader<T> {
  const select = (name: string, where: AnyWhere = {}): Row[] => selectRows(tables, name, where);
  // Rows have the type of their table because `insert` is typed by the same table name.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  const reader: RecordReader<T> = {
    queryAll: async (queries) => {
      const names = Object.keys(queries);
      // All queries start synchronously, so their results are from one snapshot.
      const results = await Promise.all(
        Object.values(queries).map((it) => {
          if (it === undefined) return undefined;
          return 'find' in it
            ? reader.find(it.find, it)
            : reader.tally(it.tally, it.column, it.summed, it.where);
        }),
      );
      // Each result has the type of its query.
      return Object.fromEntries(names.map((name, index) => [name, results[index]])) as QueryResults<
        T,
        typeof queries
      >;
    },
    getLinked: async (links, values) => {
      const rows: Record<string, Row | undefined> = {};
      for (const [name, { table, where }] of Object.entries(links)) {
        const resolved = Object.entries(where).map(([column, source]) => [
          column,
          sourceValue(source, rows, values),
        ]);
        const isKnown = resolved.every(([, value]) => value !== undefined && value !== null);
        rows[name] = isKnown ? select(table, Object.fromEntries(resolved))[0] : undefined;
      }
      // Each row belongs to the table of its link.
      return rows as LinkedRows<T, typeof links>;
    },
    get: async (name, where) => typed<typeof name>(select(name, where).sort(byId))[0],
    find: async (name, query = {}) =>
      typed<typeof name>(await findOrdered(requireTable(tables, name), select(name, query.where), query)),
    firstOf: async (name, { column, values, where, limit = 1 }) => {
      const conditions: readonly AnyWhere[] = Array.isArray(where) ? where : [where];
      const firsts = conditions.flatMap((one) =>
        [...new Set(values)].flatMap((value) =>
          select(name, { ...one, [column]: value })
            .sort(byId)
            .slice(0, limit),
        ),
      );
      return typed<typeof name>([...new Set(firsts)].sort(byId));
    },
    distinct: async (name, column, where) => {
      const values = typed<typeof name>(select(name, where)).map((row) => row[column]);
      return [...new Set(values)].filter((value) => value !== null).sort(compareValues);
    },
    tally: async (name, column, summed, where) => {
      const tallies = new Map<T[typeof name][typeof column], Tally>();
      for (const row of typed<typeof name>(select(name, where))) {
        const { count, sum } = tallies.get(row[column]) ?? { count: 0, sum: 0 };
        tallies.set(row[column], { count: count + 1, sum: sum + Number(row[summed]) });
      }
      return tallies;
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
  return reader;
}

function sourceValue(
  source: LinkSource,
  rows: Readonly<Record<string, Row | undefined>>,
  values: LinkValues,
): unknown {
  if ('value' in source) return values[source.value];
  const row = rows[source.of];
  return row && Reflect.get(row, source.column);
}

function createWriter<T extends Tables>(
  tables: ReadonlyMap<string, MemoryTable>,
  reader: RecordReader<T>,
  undo: Undo,
  callbacks: (() => void)[],
): RecordWriter<T> {
  const insert: RecordWriter<T>['insert'] = async (name, row) => {
    // `id` is the one member `Omit` took away.
    return addRow(tables, undo, name, row) as T[typeof name];
  };
  // Work starts synchronously, so calls run in call order.
  const read = <K extends keyof T & string>(name: K, where: Where<T[K]>): readonly T[K][] => {
    const rows: Row[] = selectRows(tables, name, where).sort(byId);
    // Rows have the type of their table.
    return rows as T[K][];
  };
  const update = async <K extends keyof T & string>(
    name: K,
    where: Where<T[K]>,
    change: Partial<Omit<T[K], 'id'>>,
  ): Promise<readonly T[K][]> => {
    const table = requireTable(tables, name);
    return read(name, where).map((row) => {
      table.drop(row);
      undo.push(() => table.put(row));
      // A row with changed members belongs to the same table.
      const changed = Object.freeze({ ...row, ...change }) as T[typeof name];
      table.put(changed);
      undo.push(() => table.drop(changed));
      return changed;
    });
  };
  return {
    ...reader,
    getLocked: reader.get,
    afterCommit: (callback) => void callbacks.push(callback),
    insertLinked: async (rows) => {
      // Each row belongs to the table it names.
      return addLinked(tables, undo, rows) as AddedRows<T, typeof rows>;
    },
    insert,
    insertAll: async (name, rows) => rows.map((row) => addRow(tables, undo, name, row) as T[typeof name]),
    update: async (name, where, change) => (await update(name, where, change)).length,
    updateAndRead: update,
    remove: async (name, where) => {
      const table = requireTable(tables, name);
      const rows = read(name, where);
      for (const row of rows) {
        table.drop(row);
        undo.push(() => table.put(row));
      }
      return rows.length;
    },
  };
}

function requireTable(tables: ReadonlyMap<string, MemoryTable>, name: string): MemoryTable {
  const table = tables.get(name);
  if (!table) throw new StoreError('STORE_FAILED', `Unknown table "${name}".`);
  return table;
}

/** Finds matching rows. The first condition on an indexed column selects candidates, and the others filter them. */
function selectRows(tables: ReadonlyMap<string, MemoryTable>, name: string, where: AnyWhere): Row[] {
  const table = requireTable(tables, name);
  const conditions = Object.entries(where).map(
    ([column, condition]): ColumnCondition => [column, resolveWithin(tables, condition)],
  );
  for (const used of conditions) {
    const [column, condition] = used;
    if (isContaining(condition) || isBounded(condition)) continue;
    const found = table.lookup(column, listValues(condition));
    if (found === undefined) continue;
    const others = conditions.filter((it) => it !== used);
    return others.length === 0 ? found : found.filter((row) => matches(row, others));
  }
  return table.all().filter((row) => matches(row, conditions));
}

function resolveWithin(tables: ReadonlyMap<string, MemoryTable>, condition: unknown): unknown {
  if (!isWithin(condition)) return condition;
  const { within, column, where } = condition;
  return new Set(selectRows(tables, within, where).map((row) => Reflect.get(row, column)));
}

function listValues(condition: unknown): ReadonlySet<unknown> {
  if (condition instanceof Set) return condition;
  return new Set(Array.isArray(condition) ? condition : [condition]);
}

function findOrdered<R extends Row>(table: MemoryTable, rows: Row[], query: Query<R>): Row[] {
  const { sortBy = 'id', descending = false, offset = 0, limit = rows.length } = query;
  return table.order(rows, sortBy, descending).slice(offset, offset + limit);
}

function byId(a: Row, b: Row): number {
  return a.id - b.id;
}
