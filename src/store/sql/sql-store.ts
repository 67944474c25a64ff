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
import { createRowCodec } from './row-codec.js';
import { countInWindow } from './sql-count-window.js';
import { translateErrors } from './sql-errors.js';
import { type LinkStatements, readLinked } from './sql-links.js';
import { requireCodec, type SqlSources, writeCondition } from './sql-where.js';

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
  const sources: StoreSources = { codecs, kind: database.kind, statements: new WeakMap() };
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
    shrink: () => translateErrors(() => database.shrink()),
    close: () => database.close(),
  };
}

/** What the statements of a store are made of, and those that are kept. */
interface StoreSources extends SqlSources {
  readonly statements: LinkStatements;
}

type RowLock = 'update' | 'key' | 'free' | undefined;

async function selectRows(
  db: Db,
  sources: SqlSources,
  name: string,
  query: Query<Row> & { lock?: RowLock },
): Promise<Row[]> {
  const { where = {}, sortBy = 'id', descending = false, limit, offset = 0, lock } = query;
  const codec = requireCodec(sources, name);
  const columns = query.columns && [...new Set<string>(['id', ...query.columns])];
  const source = db.selectFrom(codec.table);
  let statement = (columns ? source.select(columns.map(codec.column)) : source.selectAll()).where(
    writeCondition(sources, name, where),
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
    if (lock === 'key') statement = statement.forKeyShare();
    else statement = lock === 'free' ? statement.forUpdate().skipLocked() : statement.forUpdate();
  }
  const rows = await translateErrors(() => statement.execute());
  return rows.map((row) => codec.decode(row, columns));
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
    firstOf: async (name, column, values, where, limit = 1) => {
      const codec = requireCodec(sources, name);
      if (values.length === 0) return [];
      // A list of smallest ids, each of which an index answers; grouping would read all rows of each value.
      const ids = (value: unknown, index: number) => {
        const fitting = writeCondition(sources, name, { ...where, [column]: value });
        const first = db.selectFrom(codec.table).select('id').where(fitting).orderBy('id').limit(limit);
        return db.selectFrom(first.as(`first_${index}`)).select('id');
      };
      const [first, ...others] = [...new Set(values)].map(ids);
      if (first === undefined) return [];
      const all = others.reduce((union, one) => union.unionAll(one), first);
      const statement = db.selectFrom(codec.table).selectAll().where('id', 'in', all).orderBy('id');
      const rows = await translateErrors(() => statement.execute());
      return typed<typeof name>(rows.map((row) => codec.decode(row)));
    },
    distinct: async (name, column, where) => {
      const codec = requireCodec(sources, name);
      const values = codec.column(column);
      const fitting = writeCondition(sources, name, where);
      // From one value to the next above it, each of which an index answers; `distinct` would read all rows that fit.
      const statement = db
        .withRecursive('known(value)', (it) =>
          it
            .selectFrom(codec.table)
            .select((row) => row.fn.min(values).as('value'))
            .where(fitting)
            .unionAll(
              it
                .selectFrom('known')
                .select((known) =>
                  known
                    .selectFrom(codec.table)
                    .select((row) => row.fn.min(values).as('next'))
                    .where(fitting)
                    .whereRef(`${codec.table}.${values}`, '>', 'known.value')
                    .as('value'),
                )
                .where('known.value', 'is not', null),
            ),
        )
        .selectFrom('known')
        .select('value')
        .where('value', 'is not', null);
      const rows = await translateErrors(() => statement.execute());
      return rows.map((row) => row['value'] as T[typeof name][typeof column]);
    },
    tally: async (name, column, summed, where) => {
      const codec = requireCodec(sources, name);
      const statement = db
        .selectFrom(codec.table)
        .select((it) => [
          it.ref(codec.column(column)).as('value'),
          it.fn.countAll().as('total'),
          it.fn.sum(codec.column(summed)).as('sum'),
        ])
        .where(writeCondition(sources, name, where))
        .groupBy(codec.column(column));
      const rows = await translateErrors(() => statement.execute());
      return new Map(
        rows.map((row) => [
          row['value'] as T[typeof name][typeof column],
          { count: Number(row['total']), sum: Number(row['sum'] ?? 0) },
        ]),
      );
    },
    count: async (name, where = {}) => {
      const codec = requireCodec(sources, name);
      const statement = db.selectFrom(codec.table).select((it) => it.fn.countAll().as('total'));
      const row = await translateErrors(() =>
        statement.where(writeCondition(sources, name, where)).executeTakeFirst(),
      );
      return Number(row?.['total'] ?? 0);
    },
    countBy: async (name, column, where = {}) => {
      const codec = requireCodec(sources, name);
      const statement = db
        .selectFrom(codec.table)
        .select((it) => [it.ref(codec.column(column)).as('value'), it.fn.countAll().as('total')])
        .where(writeCondition(sources, name, where))
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
      const statement = db.insertInto(codec.table).values(codec.encode(row)).returningAll();
      const added = await translateErrors(() => statement.executeTakeFirstOrThrow());
      return codec.decode(added) as T[typeof name];
    },
    insertAll: async (name, rows) => {
      const codec = requireCodec(sources, name);
      const size = Math.floor(MAX_VALUES / codec.width);
      const ids: number[] = [];
      for (let start = 0; start < rows.length; start += size) {
        const values = rows.slice(start, start + size).map((row) => codec.encode(row));
        const statement = db.insertInto(codec.table).values(values).returning('id');
        const inserted = await translateErrors(() => statement.execute());
        for (const row of inserted) ids.push(Number(row['id']));
      }
      // Ids are given in the order of the values; the order of what a statement returns is nowhere promised.
      ids.sort((a, b) => a - b);
      // A row is what was given and its id, which is the one member `Omit` took away.
      return rows.map((row, index) => ({ ...row, id: ids[index] ?? 0 })) as T[typeof name][];
    },
    update: async (name, where, change) => {
      const codec = requireCodec(sources, name);
      const statement = db.updateTable(codec.table).set(codec.encode(change));
      const result = await translateErrors(() =>
        statement.where(writeCondition(sources, name, where)).executeTakeFirst(),
      );
      return Number(result.numUpdatedRows);
    },
    remove: async (name, where) => {
      const statement = db
        .deleteFrom(requireCodec(sources, name).table)
        .where(writeCondition(sources, name, where));
      const result = await translateErrors(() => statement.executeTakeFirst());
      return Number(result.numDeletedRows);
    },
  };
}
