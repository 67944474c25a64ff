import type { Kysely } from 'kysely';
import type {
  Query,
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinition,
  TableDefinitions,
  Tables,
} from '../record-store.js';
import { createRowCodec } from './row-codec.js';
import { countInWindow } from './sql-count-window.js';
import { type SqlDatabase, type SqlTables, sqlName } from '../sql-database.js';
import { translateErrors } from './sql-errors.js';
import { codecOf, conditionOf, type SqlSources } from './sql-where.js';

type Db = Kysely<SqlTables>;

export interface SqlStoreOptions {
  /** Put before the name of each table: `rest_`. */
  readonly prefix: string;
}

/** Rows in SQLite or PostgreSQL through the same queries. The tables have to be there: see `migrate`. */
export function createSqlStore<T extends Tables>(
  database: SqlDatabase,
  definitions: TableDefinitions<T>,
  options: SqlStoreOptions,
): RecordStore<T> {
  const entries = Object.entries<TableDefinition<never>>(definitions);
  const codecs = new Map(
    entries.map(([name, it]) => [name, createRowCodec(options.prefix + sqlName(name), it)] as const),
  );
  const sources: SqlSources = { codecs, kind: database.kind };
  const { db } = database;
  return {
    capabilities: { durable: true, reach: database.kind === 'postgres' ? 'network' : 'machine' },
    ...createReader<T>(db, sources),
    transaction: (work, isolation) =>
      translateErrors(() =>
        database.transaction((transaction) => work(createWriter<T>(transaction, sources)), isolation),
      ),
    countInWindow: (name, nowMs, windowMs) =>
      translateErrors(() => countInWindow(db, `${options.prefix}windows`, { name, nowMs, windowMs })),
    close: () => database.close(),
  };
}

type RowLock = 'update' | 'key' | undefined;

async function selectRows(
  db: Db,
  sources: SqlSources,
  name: string,
  query: Query<Row> & { lock?: RowLock },
): Promise<Row[]> {
  const { where = {}, sortBy = 'id', descending = false, limit, offset = 0, lock } = query;
  const codec = codecOf(sources, name);
  const columns = query.columns && [...new Set<string>(['id', ...query.columns])];
  const source = db.selectFrom(codec.table);
  let statement = (columns ? source.select(columns.map(codec.column)) : source.selectAll()).where(
    conditionOf(sources, name, where),
  );
  statement = statement.orderBy(codec.column(sortBy), (it) =>
    descending ? it.desc().nullsLast() : it.asc().nullsFirst(),
  );
  if (sortBy !== 'id') statement = statement.orderBy('id', descending ? 'desc' : 'asc');
  // SQLite has no offset without a limit.
  if (limit !== undefined || offset > 0) statement = statement.limit(limit ?? Number.MAX_SAFE_INTEGER);
  if (offset > 0) statement = statement.offset(offset);
  // SQLite has one writer at a time, and no words for locks.
  if (lock !== undefined && sources.kind === 'postgres') {
    statement = lock === 'update' ? statement.forUpdate() : statement.forKeyShare();
  }
  const rows = await translateErrors(() => statement.execute());
  return rows.map((row) => codec.decode(row, columns));
}

function createReader<T extends Tables>(db: Db, sources: SqlSources): RecordReader<T> {
  const select = (name: string, query: Query<Row>): Promise<Row[]> => selectRows(db, sources, name, query);
  // The codec of a table gives rows of the type its name stands for.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  return {
    get: async (name, where) => typed<typeof name>(await select(name, { where, limit: 1 }))[0],
    find: async (name, query = {}) => typed<typeof name>(await select(name, query as Query<Row>)),
    firstOf: async (name, column, values, where) => {
      const codec = codecOf(sources, name);
      if (values.length === 0) return [];
      // A list of smallest ids, each of which an index answers; grouping would read all rows of each value.
      const firsts = [...new Set(values)].map((value) =>
        db
          .selectFrom(codec.table)
          .select((it) => it.fn.min('id').as('id'))
          .where(conditionOf(sources, name, { ...where, [column]: value })),
      );
      const statement = db.selectFrom(codec.table).selectAll().where('id', 'in', firsts).orderBy('id');
      const rows = await translateErrors(() => statement.execute());
      return typed<typeof name>(rows.map((row) => codec.decode(row)));
    },
    count: async (name, where = {}) => {
      const codec = codecOf(sources, name);
      const statement = db.selectFrom(codec.table).select((it) => it.fn.countAll().as('total'));
      const row = await translateErrors(() =>
        statement.where(conditionOf(sources, name, where)).executeTakeFirst(),
      );
      return Number(row?.['total'] ?? 0);
    },
    countBy: async (name, column, where = {}) => {
      const codec = codecOf(sources, name);
      const statement = db
        .selectFrom(codec.table)
        .select((it) => [it.ref(codec.column(column)).as('value'), it.fn.countAll().as('total')])
        .where(conditionOf(sources, name, where))
        .groupBy(codec.column(column));
      const rows = await translateErrors(() => statement.execute());
      return new Map(
        rows.map((row) => [row['value'] as T[typeof name][typeof column], Number(row['total'])]),
      );
    },
  };
}

/** PostgreSQL and SQLite refuse statements with more values than this. */
const MAX_VALUES = 30_000;

function createWriter<T extends Tables>(db: Db, sources: SqlSources): RecordWriter<T> {
  return {
    ...createReader<T>(db, sources),
    sql: db,
    getLocked: async (name, where, lock) =>
      (await selectRows(db, sources, name, { where, limit: 1, lock }))[0] as T[typeof name] | undefined,
    insert: async (name, row) => {
      const codec = codecOf(sources, name);
      const statement = db.insertInto(codec.table).values(codec.encode(row)).returningAll();
      const added = await translateErrors(() => statement.executeTakeFirstOrThrow());
      return codec.decode(added) as T[typeof name];
    },
    insertAll: async (name, rows) => {
      const codec = codecOf(sources, name);
      const size = Math.floor(MAX_VALUES / codec.width);
      const added: Row[] = [];
      for (let start = 0; start < rows.length; start += size) {
        const values = rows.slice(start, start + size).map((row) => codec.encode(row));
        const statement = db.insertInto(codec.table).values(values).returningAll();
        const inserted = await translateErrors(() => statement.execute());
        for (const row of inserted) added.push(codec.decode(row));
      }
      // Ids are given in the order of the values; the order of what a statement returns is nowhere promised.
      return added.sort((a, b) => a.id - b.id) as T[typeof name][];
    },
    update: async (name, where, change) => {
      const codec = codecOf(sources, name);
      const statement = db.updateTable(codec.table).set(codec.encode(change));
      const result = await translateErrors(() =>
        statement.where(conditionOf(sources, name, where)).executeTakeFirst(),
      );
      return Number(result.numUpdatedRows);
    },
    remove: async (name, where) => {
      const statement = db.deleteFrom(codecOf(sources, name).table).where(conditionOf(sources, name, where));
      const result = await translateErrors(() => statement.executeTakeFirst());
      return Number(result.numDeletedRows);
    },
  };
}
