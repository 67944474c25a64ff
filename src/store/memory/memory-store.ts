import { StoreError } from '../../errors/engine-error.js';
import { completeRow, withId } from '../complete-row.js';
import {
  type AddedRows,
  type Answers,
  type CountedWindow,
  isBounded,
  isContaining,
  isWithin,
  type LinkedRows,
  type LinkSource,
  type LinkValues,
  type Query,
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
    getLinked: (links, values) => last.then(() => reader.getLinked(links, values)),
    ask: (questions) => last.then(() => reader.ask(questions)),
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
        // Each row is of the table it names.
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

/** Does something whole, or takes back what it did of it. */
async function runUndone<R>(work: (undo: Undo) => Promise<R>): Promise<R> {
  const undo: Undo = [];
  try {
    return await work(undo);
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

/** Adds a row. */
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
  // The rows of a table have the type its name stands for: only `insert` adds them, and it is typed by the same name.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  const reader: RecordReader<T> = {
    ask: async (questions) => {
      const names = Object.keys(questions);
      // All are asked before anything else runs, so that they are answered as of one moment.
      const answers = await Promise.all(
        Object.values(questions).map((it) => {
          if (it === undefined) return undefined;
          return 'find' in it
            ? reader.find(it.find, it)
            : reader.tally(it.tally, it.column, it.summed, it.where);
        }),
      );
      // Each answer is what its question asks for.
      return Object.fromEntries(names.map((name, index) => [name, answers[index]])) as Answers<
        T,
        typeof questions
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
      // Each row is of the table its link names.
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
  // What is asked is done at once, so in the order in which it is asked.
  const read = <K extends keyof T & string>(name: K, where: Where<T[K]>): readonly T[K][] => {
    const rows: Row[] = selectRows(tables, name, where).sort(byId);
    // The rows of a table have the type its name stands for.
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
      // A row with some of its members changed is one of the same table.
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
      // Each row is of the table it names.
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
  if (!table) throw new StoreError('STORE_FAILED', `There is no table "${name}".`);
  return table;
}

/** The rows that fit. The first condition on an indexed column finds them, and they are held against the others. */
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
