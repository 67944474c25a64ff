import type { Kysely } from 'kysely';
import type {
  LinkedRows,
  Query,
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinition,
  TableDefinitions,
  Tables,
} from '../record-store.js';
import { type SqlDatabase, sqlName } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';
import { createRowCodec, type RowCodec } from './row-codec.js';
import { countInWindow } from './sql-count-window.js';
import { translateErrors } from './sql-errors.js';
import { type LinkStatements, readLinked } from './sql-links.js';
import { quoteName, requireCodec, type SqlSources, SqlValues, writeCondition } from './sql-where.js';

type Db = Kysely<SqlTables>;

export interface SqlStoreOptions {
  /** Put before the name of each table: `rest_`. */
  readonly prefix: string;
  /** Encrypts the sealed columns of the tables: `SEAL_KEY_BYTES`. Without it they are kept as they are. */
  readonly sealKey?: Uint8Array | undefined;
}

/** Rows in SQLite or PostgreSQL through the same queries. The tables have to be there: see `migrate`. */
export function createSqlStore<T extends Tables>(
  database: SqlDatabase,
  definitions: TableDefinitions<T>,
  options: SqlStoreOptions,
): RecordStore<T> {
  const entries = Object.entries<TableDefinition<never>>(definitions);
  const codecs = new Map(
    entries.map(([name, it]) => {
      const table = options.prefix + sqlName(name);
      return [name, createRowCodec(table, it, options.sealKey)] as const;
    }),
  );
  const { kind, run } = database;
  const sources: StoreSources = { codecs, kind, run, statements: new WeakMap() };
  const { db } = database;
  return {
    capabilities: { durable: true, reach: kind === 'postgres' ? 'network' : 'machine' },
    ...createReader<T>(db, sources),
    transaction: (work, isolation) =>
      translateErrors(() =>
        database.transaction((transaction) => work(createWriter<T>(transaction, sources)), isolation),
      ),
    countInWindow: (name, nowMs, windowMs) =>
      translateErrors(() => countInWindow(db, `${options.prefix}windows`, { name, nowMs, windowMs })),
    shrink: () => translateErrors(() => database.shrink()),
    close: () => database.close(),
  };
}

/** What the statements of a store are made of, what runs them, and those that are kept. */
interface StoreSources extends SqlSources, Pick<SqlDatabase, 'run'> {
  readonly statements: LinkStatements;
}

type RowLock = 'update' | 'key' | 'free' | undefined;

/** SQLite has one writer at a time, and no words for locks. */
const LOCKS = { update: ' for update', key: ' for key share', free: ' for update skip locked' } as const;

type SqlRow = Record<string, unknown>;
type AnyWhere = Readonly<Record<string, unknown>>;

/** A statement as text with its values, run under our error codes. */
function run(db: Db, sources: StoreSources, text: string, values: SqlValues): ReturnType<SqlDatabase['run']> {
  return translateErrors(() => sources.run(db, text, values.list));
}

async function selectRows(
  db: Db,
  sources: StoreSources,
  name: string,
  query: Query<Row> & { lock?: RowLock },
): Promise<Row[]> {
  const { where = {}, sortBy = 'id', descending = false, limit, offset = 0, lock } = query;
  const codec = requireCodec(sources, name);
  const columns = query.columns && [...new Set<string>(['id', ...query.columns])];
  const values = new SqlValues(sources.kind);
  const selected = columns ? columns.map((column) => quoteName(codec.column(column))).join(', ') : '*';
  const fitting = writeCondition(sources, name, where, values);
  const sorted = quoteName(codec.column(sortBy));
  // An id is never null, and an index on it is found without more words.
  const order = sortBy === 'id' ? '' : `${sorted} ${descending ? 'desc nulls last' : 'asc nulls first'}, `;
  let text = `select ${selected} from ${quoteName(codec.table)} where ${fitting} order by ${order}"id"`;
  if (descending) text += ' desc';
  // SQLite has no offset without a limit.
  if (limit !== undefined || offset > 0) text += ` limit ${values.mark(limit ?? Number.MAX_SAFE_INTEGER)}`;
  if (offset > 0) text += ` offset ${values.mark(offset)}`;
  if (lock !== undefined && sources.kind === 'postgres') text += LOCKS[lock];
  const { rows } = await run(db, sources, text, values);
  return rows.map((row) => codec.decode(row, columns));
}

/** Values of a column with what was counted for them. */
async function groupRows(
  db: Db,
  sources: StoreSources,
  name: string,
  { column, summed, where }: { column: string; summed?: string; where: AnyWhere },
): Promise<readonly SqlRow[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const grouped = quoteName(codec.column(column));
  const sum = summed === undefined ? '' : `, sum(${quoteName(codec.column(summed))}) as "sum"`;
  const fitting = writeCondition(sources, name, where, values);
  const text = `select ${grouped} as "value", count(*) as "total"${sum} from ${quoteName(codec.table)} where ${fitting} group by ${grouped}`;
  return (await run(db, sources, text, values)).rows;
}

/** A list of smallest ids, each of which an index answers; grouping would read all rows of each value. */
async function selectFirst(
  db: Db,
  sources: StoreSources,
  name: string,
  { column, listed, where, limit }: FirstWanted,
): Promise<Row[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const table = quoteName(codec.table);
  const parts = [...new Set(listed)].map((value, index) => {
    const fitting = writeCondition(sources, name, { ...where, [column]: value }, values);
    const first = `select "id" from ${table} where ${fitting} order by "id" limit ${values.mark(limit)}`;
    return `select "id" from (${first}) as "first_${index}"`;
  });
  const text = `select * from ${table} where "id" in (${parts.join(' union all ')}) order by "id"`;
  const { rows } = await run(db, sources, text, values);
  return rows.map((row) => codec.decode(row));
}

interface FirstWanted {
  readonly column: string;
  readonly listed: readonly unknown[];
  readonly where: AnyWhere;
  readonly limit: number;
}

/** From one value to the next above it, each of which an index answers; `distinct` would read all rows that fit. */
async function selectDistinct(
  db: Db,
  sources: StoreSources,
  name: string,
  { column, where }: { readonly column: string; readonly where: AnyWhere },
): Promise<readonly unknown[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const [table, wanted] = [quoteName(codec.table), quoteName(codec.column(column))];
  const first = `select min(${wanted}) from ${table} where ${writeCondition(sources, name, where, values)}`;
  const fitting = writeCondition(sources, name, where, values);
  const next = `select min(${wanted}) from ${table} where ${fitting} and ${table}.${wanted} > "known"."value"`;
  const text = `with recursive "known"("value") as (${first} union all select (${next}) from "known" where "known"."value" is not null) select "value" from "known" where "value" is not null`;
  const { rows } = await run(db, sources, text, values);
  return rows.map((row) => row['value']);
}

function createReader<T extends Tables>(db: Db, sources: StoreSources): RecordReader<T> {
  const select = (name: string, query: Query<Row>): Promise<Row[]> => selectRows(db, sources, name, query);
  // The codec of a table gives rows of the type its name stands for.
  const typed = <K extends keyof T & string>(rows: Row[]): T[K][] => rows as T[K][];
  return {
    getLinked: async (links, values) => {
      const rows = await translateErrors(() =>
        readLinked(db, sources, sources.statements, { links, values }),
      );
      // Each row is of the table its link names.
      return rows as LinkedRows<T, typeof links>;
    },
    get: async (name, where) => typed<typeof name>(await select(name, { where, limit: 1 }))[0],
    find: async (name, query = {}) => typed<typeof name>(await select(name, query as Query<Row>)),
    firstOf: async (name, column, listed, where, limit = 1) => {
      if (listed.length === 0) return [];
      return typed<typeof name>(await selectFirst(db, sources, name, { column, listed, where, limit }));
    },
    distinct: async (name, column, where) => {
      const found = await selectDistinct(db, sources, name, { column, where });
      return found as T[typeof name][typeof column][];
    },
    tally: async (name, column, summed, where) => {
      const rows = await groupRows(db, sources, name, { column, summed, where });
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
      const { rows } = await run(db, sources, text, values);
      return Number(rows[0]?.['total'] ?? 0);
    },
    countBy: async (name, column, where = {}) => {
      const rows = await groupRows(db, sources, name, { column, where });
      return new Map(
        rows.map((row) => [row['value'] as T[typeof name][typeof column], Number(row['total'])]),
      );
    },
  };
}

/** PostgreSQL and SQLite refuse statements with more values than this. */
const MAX_VALUES = 30_000;

/** Adds rows of the same columns in one statement. */
async function insertRows(
  db: Db,
  sources: StoreSources,
  codec: RowCodec,
  { rows, returning }: { readonly rows: readonly object[]; readonly returning: '*' | '"id"' },
): Promise<readonly SqlRow[]> {
  const encoded = rows.map((row) => codec.encode(row));
  const columns = Object.keys(encoded[0] ?? {});
  const values = new SqlValues(sources.kind);
  const tuples = encoded.map((row) => `(${values.markAll(columns.map((column) => row[column] ?? null))})`);
  const named = columns.map(quoteName).join(', ');
  const text = `insert into ${quoteName(codec.table)} (${named}) values ${tuples.join(', ')} returning ${returning}`;
  return (await run(db, sources, text, values)).rows;
}

function createWriter<T extends Tables>(db: Db, sources: StoreSources): RecordWriter<T> {
  return {
    ...createReader<T>(db, sources),
    sql: db,
    getLocked: async (name, where, lock) =>
      (await selectRows(db, sources, name, { where, limit: 1, lock }))[0] as T[typeof name] | undefined,
    lockFree: async (name, where) =>
      (await selectRows(db, sources, name, { where, lock: 'free' })) as T[typeof name][],
    insert: async (name, row) => {
      const codec = requireCodec(sources, name);
      const [added = {}] = await insertRows(db, sources, codec, { rows: [row], returning: '*' });
      return codec.decode(added) as T[typeof name];
    },
    insertAll: async (name, rows) => {
      const codec = requireCodec(sources, name);
      const size = Math.floor(MAX_VALUES / codec.width);
      const ids: number[] = [];
      for (let start = 0; start < rows.length; start += size) {
        const some = rows.slice(start, start + size);
        const added = await insertRows(db, sources, codec, { rows: some, returning: '"id"' });
        for (const row of added) ids.push(Number(row['id']));
      }
      // Ids are given in the order of the values; the order of what a statement returns is nowhere promised.
      ids.sort((a, b) => a - b);
      // A row is what was given and its id, which is the one member `Omit` took away.
      return rows.map((row, index) => ({ ...row, id: ids[index] ?? 0 })) as T[typeof name][];
    },
    update: async (name, where, change) => {
      const codec = requireCodec(sources, name);
      const values = new SqlValues(sources.kind);
      const set = Object.entries(codec.encode(change)).map(
        ([column, value]) => `${quoteName(column)} = ${values.mark(value)}`,
      );
      if (set.length === 0) return 0;
      const fitting = writeCondition(sources, name, where, values);
      const text = `update ${quoteName(codec.table)} set ${set.join(', ')} where ${fitting}`;
      return Number((await run(db, sources, text, values)).numAffectedRows ?? 0);
    },
    remove: async (name, where) => {
      const { table } = requireCodec(sources, name);
      const values = new SqlValues(sources.kind);
      const fitting = writeCondition(sources, name, where, values);
      const { numAffectedRows } = await run(
        db,
        sources,
        `delete from ${quoteName(table)} where ${fitting}`,
        values,
      );
      return Number(numAffectedRows ?? 0);
    },
  };
}
