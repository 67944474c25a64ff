import { withId } from '../complete-row.js';
import type {
  AddedRows,
  LinkedRows,
  Query,
  QueryResults,
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinition,
  TableDefinitions,
  Tables,
} from '../record-store.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import { createRowCodec } from './row-codec.js';
import { runText } from './run-text.js';
import { insertRows, removeRows, updateRows, writeReturning } from './sql-change.js';
import { countInWindow } from './sql-count-window.js';
import { translateErrors } from './sql-errors.js';
import { type AnyNewRows, insertInOrder, readLinkedInsert, writeLinkedInsert } from './sql-insert-linked.js';
import { type LinkStatements, readLinked } from './sql-links.js';
import { runQueries, type SqlNamedQuery } from './sql-queries.js';
import { groupRows, selectDistinct, selectFirst, selectRows } from './sql-select.js';
import { requireCodec, type SqlSources, SqlValues, writeCondition } from './sql-where.js';

export interface SqlStoreOptions {
  /** Prefix of table names: `rest_`. */
  readonly prefix: string;
  /** Encrypts the sealed columns. Length: `SEAL_KEY_BYTES`. Without it, they are stored in plain text. */
  readonly sealKey?: Uint8Array | undefined;
}

/** Creates a store on SQLite or PostgreSQL. The tables must exist: see `migrate`. */
export function createSqlStore<T extends Tables>(
  database: SqlDatabase,
  definitions: TableDefinitions<T>,
  options: SqlStoreOptions,
): RecordStore<T> {
  const entries = Object.entries<TableDefinition<never>>(definitions);
  const codecs = new Map(entries.map(([name, it]) => [name, createRowCodec(name, it, options)] as const));
  const { kind } = database;
  const sources: StoreSources = { codecs, kind, statements: new WeakMap() };
  // A connection runs transactions one after the other with the same runner, so the writer can be cached.
  const writers = new WeakMap<SqlRunner, Omit<RecordWriter<T>, 'afterCommit'>>();
  const writerOn = (on: SqlRunner): Omit<RecordWriter<T>, 'afterCommit'> => {
    const known = writers.get(on);
    if (known !== undefined) return known;
    const writer = createWriter<T>(on, sources);
    writers.set(on, writer);
    return writer;
  };
  return {
    capabilities:
      kind === 'postgres'
        ? { durable: true, reach: 'network' }
        : { durable: true, reach: 'machine', holdsProcess: true },
    ...createReader<T>(database, sources),
    transaction: async (work, isolation) => {
      let callbacks: (() => void)[] = [];
      const result = await translateErrors(() =>
        database.transaction((on) => {
          callbacks = [];
          return work({ ...writerOn(on), afterCommit: (callback) => void callbacks.push(callback) });
        }, isolation),
      );
      for (const callback of callbacks) callback();
      return result;
    },
    insertLinked: async (rows) => {
      // Each row belongs to the table it names.
      const added = await translateErrors(() => insertAlone(database, sources, rows));
      return added as AddedRows<T, typeof rows>;
    },
    countInWindow: (name, nowMs, windowMs) =>
      countInWindow(database, sources, `${options.prefix}windows`, { name, nowMs, windowMs }),
    shrink: () => translateErrors(() => database.shrink()),
    changeCount: database.changeCount,
    lockHost: database.lockHost,
    exclusively: database.exclusively,
    close: () => database.close(),
  };
}

/** Sources and cached statements of a store. */
interface StoreSources extends SqlSources {
  readonly statements: LinkStatements;
}

function createReader<T extends Tables>(on: SqlRunner, sources: StoreSources): RecordReader<T> {
  const select = (name: string, query: Query<Row>): Promise<Row[]> => selectRows(on, sources, name, query);
  // The codec of a table returns rows of its type.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  return {
    getLinked: async (links, values) => {
      const rows = await readLinked(on, sources, sources.statements, { links, values });
      // Each row belongs to the table of its link.
      return rows as LinkedRows<T, typeof links>;
    },
    queryAll: async (queries) => {
      const results = await runQueries(on, sources, queries as Readonly<Record<string, SqlNamedQuery>>);
      // The codec of a table returns rows of its type.
      return results as QueryResults<T, typeof queries>;
    },
    get: async (name, where) => typed<typeof name>(await select(name, { where, limit: 1 }))[0],
    find: async (name, query = {}) => typed<typeof name>(await select(name, query as Query<Row>)),
    firstOf: async (name, query) => {
      if (query.values.length === 0) return [];
      return typed<typeof name>(await selectFirst(on, sources, name, query));
    },
    distinct: async (name, column, where) => {
      const found = await selectDistinct(on, sources, name, { column, where });
      return found as T[typeof name][typeof column][];
    },
    tally: async (name, column, summed, where) => {
      const rows = await groupRows(on, sources, name, { column, summed, where });
      return new Map(
        rows.map((row) => [
          row['value'] as T[typeof name][typeof column],
          { count: Number(row['total']), sum: Number(row['sum'] ?? 0) },
        ]),
      );
    },
    count: async (name, where = {}) => {
      const values = new SqlValues(sources.kind);
      const fitting = writeCondition(sources, name, where, values);
      const { table } = requireCodec(sources, name);
      const text = `select count(*) as "total" from ${quoteName(table)} where ${fitting}`;
      const { rows } = await runText(on, text, values);
      return Number(rows[0]?.['total'] ?? 0);
    },
    countBy: async (name, column, where = {}) => {
      const rows = await groupRows(on, sources, name, { column, where });
      return new Map(
        rows.map((row) => [row['value'] as T[typeof name][typeof column], Number(row['total'])]),
      );
    },
  };
}

function createWriter<T extends Tables>(
  on: SqlRunner,
  sources: StoreSources,
): Omit<RecordWriter<T>, 'afterCommit'> {
  return {
    ...createReader<T>(on, sources),
    sql: on,
    getLocked: async (name, where, lock) =>
      (await selectRows(on, sources, name, { where, limit: 1, lock }))[0] as T[typeof name] | undefined,
    insertLinked: async (rows) => {
      const added = await insertTogether(on, sources, rows);
      // Each row belongs to the table it names.
      return added as AddedRows<T, typeof rows>;
    },
    insert: async (name, row) => {
      const codec = requireCodec(sources, name);
      const [id] = await insertRows(on, sources, name, [row]);
      return codec.decode({ ...codec.encode(row), id }) as T[typeof name];
    },
    insertAll: async (name, rows) => {
      const ids = await insertRows(on, sources, name, rows);
      // A row is the input and its id, the one member that `Omit` removed.
      return rows.map((row, index) => withId(ids[index] ?? 0, row)) as T[typeof name][];
    },
    update: async (name, where, change) => (await updateRows(on, sources, name, { where, change })).count,
    updateAndRead: async (name, where, change, { columns } = {}) => {
      const codec = requireCodec(sources, name);
      const returning = writeReturning(codec, columns);
      const { rows } = await updateRows(on, sources, name, { where, change, returning });
      // The codec of a table returns rows of its type.
      return rows.map((row) => codec.decode(row, columns)).sort((a, b) => a.id - b.id) as T[typeof name][];
    },
    remove: (name, where) => removeRows(on, sources, name, where),
  };
}

/** Inserts linked rows in the open transaction. */
async function insertTogether(
  on: SqlRunner,
  sources: StoreSources,
  rows: AnyNewRows,
): Promise<Record<string, object>> {
  const statement = sources.kind === 'postgres' ? writeLinkedInsert(sources, rows) : undefined;
  if (!statement) return insertInOrder(on, sources, rows);
  const { rows: found } = await runText(on, statement.text, statement.values);
  return readLinkedInsert(rows, found[0]);
}

/** Inserts linked rows in a transaction of their own. */
async function insertAlone(
  database: SqlDatabase,
  sources: StoreSources,
  rows: AnyNewRows,
): Promise<Record<string, object>> {
  const statement = sources.kind === 'postgres' ? writeLinkedInsert(sources, rows) : undefined;
  if (!statement) return database.transaction((on) => insertInOrder(on, sources, rows));
  const { rows: found } = await database.runAlone(statement.text, statement.values.list);
  return readLinkedInsert(rows, found[0]);
}
