import type {
  CompiledQuery,
  Expression,
  ExpressionBuilder,
  QueryCreator,
  SelectQueryBuilder,
  SqlBool,
} from 'kysely';
import { StoreError } from '../errors/engine-error.js';
import {
  type Bounded,
  type Containing,
  type CountedWindow,
  IdOf,
  type Query,
  type Row,
  type SqlReader,
  type SqlResult,
  type SqlRunner,
  type SqlStore,
  type SqlWriter,
  type Tables,
  type Tally,
  type Within,
} from './record-store.js';
import { type SqlDatabase, type SqlTables, throwTranslated, translateErrors } from './sql-database.js';
import { createTables, decodeRow, type Table, type TableDefinitions, type TableOptions } from './table.js';

/** Creates a store on SQLite or PostgreSQL. The tables must exist: see `migrate`. */
export function createSqlStore<T extends Tables>(
  database: SqlDatabase,
  definitions: TableDefinitions<T>,
  options: TableOptions,
): SqlStore<T> {
  const source: Source = { database, on: database, table: createTables(definitions, options) };
  const { capabilities, changeCount, lockHost, exclusively } = database;
  const transaction: SqlStore<T>['transaction'] = async (work, isolation) => {
    let callbacks: (() => void)[] = [];
    const result = await database.transaction((on) => {
      callbacks = [];
      const writer = createWriter<T>({ ...source, on });
      return work({ ...writer, afterCommit: (callback) => void callbacks.push(callback) });
    }, isolation);
    for (const callback of callbacks) callback();
    return result;
  };
  return {
    ...createReader<T>(source),
    ...{ capabilities, changeCount, lockHost, exclusively, transaction },
    // One statement is a transaction.
    insertLinked: async (rows) =>
      database.kind === 'postgres'
        ? ((await insertLinked(source, rows as AnyNewRows)) as never)
        : transaction((writer) => writer.insertLinked(rows)),
    countInWindow: (name, nowMs, windowMs) =>
      countInWindow(source, `${options.prefix}windows`, { name, nowMs, windowMs }),
    shrink: () => translateErrors(() => database.shrink()),
    close: () => database.close(),
  };
}

interface Source {
  readonly database: SqlDatabase;
  /** The database or an open transaction. */
  readonly on: SqlRunner;
  readonly table: (name: string) => Table;
}

type Builder = ExpressionBuilder<SqlTables, string>;
type Select = SelectQueryBuilder<SqlTables, string, Record<string, unknown>>;
type AnyWhere = Readonly<Record<string, unknown>>;

async function run(
  { on }: Pick<Source, 'on'>,
  query: { compile(): Pick<CompiledQuery, 'sql' | 'parameters'> },
): Promise<SqlResult> {
  const { sql, parameters } = query.compile();
  return on.run(sql, parameters).catch(throwTranslated);
}

/** SQLite combines at most 500 selections in a statement. */
const MAX_LOOKUPS = 400;

function createReader<T extends Tables>(source: Source): SqlReader<T> {
  // The codec of a table returns rows of its type.
  const select = async (name: string, query: AnyQuery, lock?: Lock): Promise<never[]> =>
    (await selectRows(source, name, query, lock)) as never[];
  return {
    get: async (name, where) => (await select(name, { where, limit: 1 }))[0],
    find: (name, query = {}) => select(name, query),
    firstOf: async (name, { column, values, where, columns }) => {
      const { db } = source.database;
      const table = source.table(name);
      const rows: never[] = [];
      const own = [...new Set(values)];
      const step = Math.floor(MAX_LOOKUPS / where.length);
      for (let start = 0; start < own.length; start += step) {
        // Index lookups. Grouping would read all rows of each value.
        const firsts = where.flatMap((one) =>
          own.slice(start, start + step).map((value) => {
            const condition = { ...one, [column]: value };
            const first = db.selectFrom(table.sql).select('id').orderBy('id').limit(1);
            const fitting = first.where((eb) => writeCondition(source, table, condition, eb));
            return db.selectFrom(fitting.as('first')).select('id');
          }),
        );
        const ids = firsts.reduce((all, one) => all.unionAll(one));
        const query = writeSelect(source, table, { columns }).where(`${table.sql}.id`, 'in', ids);
        rows.push(...(decodeAll(await run(source, query), table, columns) as never[]));
      }
      return rows;
    },
    count: async (name, where = {}) => {
      const table = source.table(name);
      const query = source.database.db
        .selectFrom(table.sql)
        .select((eb) => eb.fn.countAll().as('total'))
        .where((eb) => writeCondition(source, table, where, eb));
      return Number((await run(source, query)).rows[0]?.['total'] ?? 0);
    },
    countBy: async (name, column, where = {}) => {
      const { rows } = await run(source, writeTally(source, name, { column, where }));
      return new Map(rows.map((row) => [row['value'] as never, Number(row['total'])]));
    },
    tally: async (name, column, summed, where) =>
      readTally((await run(source, writeTally(source, name, { column, summed, where }))).rows) as never,
    queryAll: async (queries) => (await queryAll(source, queries as AnyQueries)) as never,
  };
}

function createWriter<T extends Tables>(source: Source): Omit<SqlWriter<T>, 'afterCommit'> {
  return {
    ...createReader<T>(source),
    sql: source.on,
    getLocked: async (name, where, lock) =>
      (await selectRows(source, name, { where, limit: 1 }, lock))[0] as never,
    findLocked: (name, query, lock) => selectRows(source, name, query, lock) as never,
    insert: async (name, row) => {
      const [id = 0] = await insertRows(source, source.table(name), [row]);
      return { id, ...row } as never;
    },
    insertAll: async (name, rows) => {
      const ids = await insertRows(source, source.table(name), rows);
      return rows.map((row, index) => ({ id: ids[index] ?? 0, ...row })) as never;
    },
    insertLinked: async (rows) => (await insertLinked(source, rows as AnyNewRows)) as never,
    update: async (name, where, change) => (await updateRows(source, name, { where, change })).count,
    updateAndRead: async (name, where, change, { columns } = {}) => {
      const table = source.table(name);
      const result = await updateRows(source, name, { where, change, read: columns ?? table.names });
      return decodeAll(result, table, columns).sort((a, b) => a.id - b.id) as never;
    },
    remove: (name, where) => removeRows(source, name, where),
  };
}

// Conditions

function writeCondition(source: Source, table: Table, where: AnyWhere, eb: Builder): Expression<SqlBool> {
  const entries = Object.entries(where);
  return eb.and(entries.map(([name, condition]) => writeOne(source, table, { name, condition }, eb)));
}

/** Uses a position function, because LIKE has wildcards and ignores case in SQLite. */
const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;

function writeOne(
  source: Source,
  table: Table,
  { name, condition }: { readonly name: string; readonly condition: unknown },
  eb: Builder,
): Expression<SqlBool> {
  const column = table.column(name);
  const ref = `${table.sql}.${column.sql}`;
  if (condition === null) return eb(ref, 'is', null);
  if (Array.isArray(condition)) {
    const some = condition.filter((value) => value !== null).map((value) => column.encode(value));
    // SQL lists never match null.
    const isNull = some.length < condition.length ? [eb(ref, 'is', null)] : [];
    return eb.or([...(some.length > 0 ? [eb(ref, 'in', some)] : []), ...isNull]);
  }
  if (typeof condition !== 'object') return eb(ref, '=', column.encode(condition));
  // The type of a condition allows no other objects.
  const object = condition as Within | Containing | Bounded;
  if ('within' in object) {
    const inner = source.table(object.within);
    const selected = source.database.db
      .selectFrom(inner.sql)
      .select(inner.column(object.column).sql)
      .where((it) => writeCondition(source, inner, object.where, it));
    return eb(ref, 'in', selected);
  }
  if ('containing' in object) {
    return eb(
      eb.fn<number>(POSITION[source.database.kind], [eb.ref(ref), eb.val(object.containing)]),
      '>',
      0,
    );
  }
  if ('notAbove' in object) return eb.or([eb(ref, 'is', null), eb(ref, '<=', object.notAbove)]);
  return 'atMost' in object ? eb(ref, '<=', object.atMost) : eb(ref, '>', object.above);
}

// Reading

type AnyQuery = Omit<Query<Row>, 'columns' | 'where' | 'sortBy'> & {
  readonly columns?: readonly string[] | undefined;
  readonly where?: AnyWhere | undefined;
  readonly sortBy?: string | undefined;
};

/**
 * `update` blocks changes of the rows, `key` blocks only their removal. Both wait for other locks. `skip` is like
 * `update`, without rows that are locked.
 */
type Lock = 'update' | 'key' | 'skip';

function listNames(table: Table, columns: readonly string[] = table.names): readonly string[] {
  return [...new Set(['id', ...columns])];
}

async function selectRows(source: Source, name: string, query: AnyQuery, lock?: Lock): Promise<Row[]> {
  const table = source.table(name);
  let select = writeSelect(source, table, query);
  // SQLite has one writer at a time and no such clauses.
  if (lock !== undefined && source.database.kind === 'postgres') {
    select = lock === 'key' ? select.forKeyShare(table.sql) : select.forUpdate(table.sql);
    if (lock === 'skip') select = select.skipLocked();
  }
  return decodeAll(await run(source, select), table, query.columns);
}

function decodeAll({ rows }: Pick<SqlResult, 'rows'>, table: Table, columns?: readonly string[]): Row[] {
  const names = listNames(table, columns);
  return rows.map((row) => decodeRow(table, row, names));
}

/** Writes a select statement for the id and the columns, under the names of the program. */
function writeSelect(
  source: Source,
  table: Table,
  { where = {}, columns, sortBy, descending = false, limit, offset = 0 }: AnyQuery,
): Select {
  const { sql, apart } = table;
  // Columns are named explicitly, so that another process may add one.
  const chosen = listNames(table, columns).map((name) => table.column(name));
  let from: Select = source.database.db.selectFrom(sql).select([]);
  if (apart !== undefined && chosen.some(({ isApart }) => isApart)) {
    from = from.innerJoin(apart, `${apart}.id`, `${sql}.id`);
  }
  let select = from
    .select(chosen.map((it) => `${(it.isApart && apart) || sql}.${it.sql} as ${it.name}`))
    .where((eb) => writeCondition(source, table, where, eb));
  if (sortBy !== undefined && sortBy !== 'id') {
    select = select.orderBy(`${sql}.${table.column(sortBy).sql}`, (it) =>
      descending ? it.desc().nullsLast() : it.asc().nullsFirst(),
    );
  }
  select = select.orderBy(`${sql}.id`, descending ? 'desc' : 'asc');
  // SQLite has no offset without a limit.
  if (limit !== undefined || offset > 0) select = select.limit(limit ?? Number.MAX_SAFE_INTEGER);
  return offset > 0 ? select.offset(offset) : select;
}

interface AnyTally {
  readonly column: string;
  readonly summed?: string;
  readonly where: AnyWhere;
}

function writeTally(source: Source, name: string, { column, summed, where }: AnyTally): Select {
  const table = source.table(name);
  const value = table.column(column).sql;
  const query = source.database.db
    .selectFrom(table.sql)
    .select((eb) => [`${value} as value`, eb.fn.countAll().as('total')])
    .where((eb) => writeCondition(source, table, where, eb))
    .groupBy(value);
  if (summed === undefined) return query;
  return query.select((eb) => eb.fn.sum(table.column(summed).sql).as('sum'));
}

function readTally(rows: readonly Record<string, unknown>[]): ReadonlyMap<unknown, Tally> {
  return new Map(
    rows.map(({ value, total, sum }) => [value, { count: Number(total), sum: Number(sum ?? 0) }]),
  );
}

type AnyQueries = Readonly<
  Record<string, ({ readonly find: string } & AnyQuery) | ({ readonly tally: string } & AnyTally) | undefined>
>;

/** The database returns the rows of each query as one JSON text. */
async function queryAll(source: Source, queries: AnyQueries): Promise<Record<string, unknown>> {
  const { jsonArrayFrom } =
    source.database.kind === 'postgres'
      ? await import('kysely/helpers/postgres')
      : await import('kysely/helpers/sqlite');
  const parts = Object.entries(queries).flatMap(([name, query]) => {
    if (query === undefined) return [];
    if ('tally' in query) return [{ name, select: writeTally(source, query.tally, query), read: readTally }];
    const table = source.table(query.find);
    // SQLite reliably keeps the order of a subquery for aggregates only if the subquery has a limit.
    const limited = { ...query, limit: query.limit ?? Number.MAX_SAFE_INTEGER };
    const read = (rows: Record<string, unknown>[]): unknown => decodeAll({ rows }, table, query.columns);
    return [{ name, select: writeSelect(source, table, limited), read }];
  });
  if (parts.length === 0) return {};
  const query = source.database.db.selectNoFrom(
    parts.map(({ name, select }) => jsonArrayFrom(select).as(name)),
  );
  const [row = {}] = (await run(source, query)).rows;
  return Object.fromEntries(
    parts.map(({ name, read }) => {
      const value = row[name];
      // The PostgreSQL driver parses JSON itself. The statement determines the shape.
      const rows = (typeof value === 'string' ? JSON.parse(value) : value) as Record<string, unknown>[];
      return [name, read(rows)];
    }),
  );
}

// Writing

/** PostgreSQL and SQLite refuse statements with more values. */
const MAX_VALUES = 30_000;
/** Maximum characters of values per statement. Sending one blocks the event loop. */
const MAX_LENGTH = 1024 * 1024;

type Encoded = Readonly<Record<string, unknown>>;

/** Inserts rows with the same columns in order, with few statements. @returns their ids in that order */
async function insertRows(source: Source, table: Table, rows: readonly object[]): Promise<readonly number[]> {
  const columns = Object.keys(rows[0] ?? {}).map((name) => table.column(name));
  const own = columns.filter(({ isApart }) => !isApart);
  const apart = columns.filter(({ isApart }) => isApart);
  const encode = (chosen: typeof columns, row: object, id?: number): Encoded => ({
    ...(id !== undefined && { id }),
    ...Object.fromEntries(chosen.map(({ name, sql, encode }) => [sql, encode(Reflect.get(row, name), id)])),
  });
  // Sealed values are bound to the id of their row.
  const known = own.some(({ isSealed }) => isSealed) ? await takeIds(source, table, rows.length) : [];
  const ids: number[] = [];
  for (const batch of splitBatches(rows.map((row, index) => encode(own, row, known[index])))) {
    ids.push(...(await insertBatch(source, table.sql, batch)));
  }
  if (table.apart === undefined) return ids;
  for (const batch of splitBatches(rows.map((row, index) => encode(apart, row, ids[index])))) {
    await run(source, source.database.db.insertInto(table.apart).values(batch));
  }
  return ids;
}

function* splitBatches(rows: readonly Encoded[]): Generator<Encoded[]> {
  let batch: Encoded[] = [];
  let [count, length] = [0, 0];
  for (const row of rows) {
    const values = Object.values(row);
    const own = values.reduce<number>((sum, it) => sum + (typeof it === 'string' ? it.length : 0), 0);
    if (batch.length > 0 && (count + values.length > MAX_VALUES || length + own > MAX_LENGTH)) {
      yield batch;
      batch = [];
      [count, length] = [0, 0];
    }
    batch.push(row);
    count += values.length;
    length += own;
  }
  if (batch.length > 0) yield batch;
}

/** @returns the ids in the order of the rows */
async function insertBatch(
  source: Source,
  table: string,
  rows: readonly Encoded[],
): Promise<readonly number[]> {
  const { db, kind } = source.database;
  const insert = db.insertInto(table).values(rows);
  if (kind === 'sqlite') {
    // With one writer, ids are consecutive. Reading them row by row from `returning` takes as long as the insert.
    const last = Number((await run(source, insert)).insertId ?? 0);
    return rows.map((_, index) => last - rows.length + 1 + index);
  }
  const result = await run(source, insert.returning('id'));
  // Ids are assigned in the order of the values. SQL does not define the order of returned rows.
  return result.rows.map((row) => Number(row['id'])).sort((a, b) => a - b);
}

/** Reserves the next ids of a table. */
async function takeIds(source: Source, { sql: name }: Table, count: number): Promise<readonly number[]> {
  const { db, kind, kysely } = source.database;
  const { sql } = kysely;
  if (kind === 'postgres') {
    const next = sql`select nextval(pg_get_serial_sequence(${name}, 'id')) as id from generate_series(1, ${sql.lit(count)})`;
    const { rows } = await run(source, { compile: () => next.compile(db) });
    return rows.map((row) => Number(row['id']));
  }
  // A transaction on SQLite is the only writer.
  const query = db.selectFrom('sqlite_sequence').select('seq').where('name', '=', name);
  const last = Number((await run(source, query)).rows[0]?.['seq'] ?? 0);
  return Array.from({ length: count }, (_, index) => last + 1 + index);
}

interface RowChange {
  readonly where: AnyWhere;
  readonly change: object;
  /** Columns to return. Default: none. */
  readonly read?: readonly string[] | undefined;
}

/** Updates all matching rows. @returns their number and the requested columns */
async function updateRows(
  source: Source,
  name: string,
  { where, change, read }: RowChange,
): Promise<{ readonly count: number; readonly rows: Record<string, unknown>[] }> {
  const table = source.table(name);
  const { db } = source.database;
  const entries = Object.entries(change).map(([key, value]) => ({ ...table.column(key), value }));
  if (entries.some(({ isSealed }) => isSealed) && typeof where['id'] !== 'number') {
    // Sealed values are bound to the id of their row.
    const found = await selectRows(source, name, { where, columns: [] });
    const results = [];
    for (const { id } of found)
      results.push(await updateRows(source, name, { where: { ...where, id }, change, read }));
    const count = results.reduce((sum, one) => sum + one.count, 0);
    return { count, rows: results.flatMap(({ rows }) => rows) };
  }
  const id = Number(where['id']);
  const encode = (isApart: boolean): Encoded | undefined => {
    const chosen = entries.filter((it) => it.isApart === isApart);
    if (chosen.length === 0) return undefined;
    return Object.fromEntries(chosen.map(({ sql, encode, value }) => [sql, encode(value, id)]));
  };
  const [own, others] = [encode(false), encode(true)];
  const fitting = (eb: Builder): Expression<SqlBool> => writeCondition(source, table, where, eb);
  // Must precede the main update, after which rows may no longer match.
  const elsewhere =
    others &&
    db
      .updateTable(table.apart ?? '')
      .set(others)
      .where('id', 'in', db.selectFrom(table.sql).select('id').where(fitting));
  const update = db
    .updateTable(table.sql)
    .set(own ?? { id: (eb: Builder) => eb.ref('id') })
    .where(fitting);
  const [, result] = await Promise.all([
    elsewhere && run(source, elsewhere),
    run(source, read === undefined ? update : update.returning((eb) => writeReturning(table, read, eb))),
  ]);
  return { count: Number(result.numAffectedRows ?? 0), rows: result.rows };
}

/** The id and the columns, `apart` ones included. */
function writeReturning(table: Table, columns: readonly string[], eb: Builder) {
  const { sql, apart } = table;
  return listNames(table, columns).map((name) => {
    const column = table.column(name);
    if (!column.isApart || apart === undefined) return eb.ref(`${sql}.${column.sql}`).as(name);
    const inner = eb.selectFrom(apart).select(`${apart}.${column.sql}`);
    return inner.whereRef(`${apart}.id`, '=', `${sql}.id`).as(name);
  });
}

/** Removes all matching rows. @returns their number */
async function removeRows(source: Source, name: string, where: AnyWhere): Promise<number> {
  const table = source.table(name);
  const { db } = source.database;
  const fitting = (eb: Builder): Expression<SqlBool> => writeCondition(source, table, where, eb);
  const ids = db.selectFrom(table.sql).select('id').where(fitting);
  const [, { numAffectedRows }] = await Promise.all([
    table.apart === undefined ? undefined : run(source, db.deleteFrom(table.apart).where('id', 'in', ids)),
    run(source, db.deleteFrom(table.sql).where(fitting)),
  ]);
  return Number(numAffectedRows ?? 0);
}

type AnyNewRows = Readonly<
  Record<string, { readonly table: string; readonly row: Readonly<Record<string, unknown>> } | undefined>
>;

/** Inserts linked rows: one statement per table on SQLite, one in total on PostgreSQL. */
async function insertLinked(source: Source, rows: AnyNewRows): Promise<Record<string, object>> {
  const entries = Object.entries(rows).flatMap(([name, it]) => (it ? [{ name, ...it }] : []));
  const ids = new Map<string, number>();
  const complete = (row: object): object =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        value instanceof IdOf ? ids.get(value.name) : value,
      ]),
    );
  if (source.database.kind === 'postgres') {
    const [found = {}] = (await run(source, writeLinkedInsert(source, entries))).rows;
    for (const { name } of entries) ids.set(name, Number(found[name]));
  } else {
    for (let left = entries; left[0] !== undefined; left = left.filter(({ name }) => !ids.has(name))) {
      const { table } = left[0];
      const ready = left.filter((one) => one.table === table && isReady(one.row, ids));
      // Each row comes after the rows whose ids it contains, so the first one is always ready.
      const batch = ready.length > 0 ? ready : [left[0]];
      const added = await insertRows(
        source,
        source.table(table),
        batch.map(({ row }) => complete(row)),
      );
      for (const [index, { name }] of batch.entries()) ids.set(name, added[index] ?? 0);
    }
  }
  return Object.fromEntries(entries.map(({ name, row }) => [name, { id: ids.get(name), ...complete(row) }]));
}

function isReady(row: object, ids: ReadonlyMap<string, number>): boolean {
  return Object.values(row).every((value) => !(value instanceof IdOf) || ids.has(value.name));
}

function writeLinkedInsert(
  source: Source,
  entries: readonly { readonly name: string; readonly table: string; readonly row: AnyWhere }[],
): Select {
  const { db } = source.database;
  let query: QueryCreator<SqlTables> = db;
  /** The last row per table. The next one depends on it, so that ids follow the order of the rows. */
  const lastOf = new Map<string, string>();
  for (const { name, table: tableName, row } of entries) {
    const table = source.table(tableName);
    if (table.apart !== undefined || table.names.some((it) => table.column(it).isSealed)) {
      throw new StoreError('STORE_FAILED', `Linked rows of ${table.sql} are not supported.`);
    }
    const before = new Set(lastOf.has(tableName) ? [lastOf.get(tableName) ?? ''] : []);
    for (const value of Object.values(row)) if (value instanceof IdOf) before.add(value.name);
    const columns = Object.keys(row).map((it) => table.column(it));
    const select = (
      before.size === 0 ? db.selectNoFrom([]) : db.selectFrom([...before]).select([])
    ) as Select;
    query = query.with(name, (creator) =>
      creator
        .insertInto(table.sql)
        .columns(columns.map(({ sql }) => sql))
        .expression(
          select.select((eb) =>
            columns.map(({ name: column, sql, encode }) => {
              const value = row[column];
              return (value instanceof IdOf ? eb.ref(`${value.name}.id`) : eb.val(encode(value))).as(sql);
            }),
          ),
        )
        .returning('id'),
    ) as unknown as QueryCreator<SqlTables>;
    lastOf.set(tableName, name);
  }
  const names = entries.map(({ name }) => name);
  return query.selectFrom(names).select(names.map((name) => `${name}.id as ${name}`)) as Select;
}

/**
 * Counts an event in one statement, so that all nodes agree. Events may arrive out of order and clocks differ between
 * nodes: a window that starts at most its own length in the future counts as the current one.
 */
async function countInWindow(
  source: Source,
  table: string,
  { name, nowMs, windowMs }: { readonly name: string; readonly nowMs: number; readonly windowMs: number },
): Promise<CountedWindow> {
  const { db, kysely } = source.database;
  const { sql } = kysely;
  const own = sql.table(table);
  const isOpen = sql`${own}.started_at > ${nowMs - windowMs} and ${own}.started_at < ${nowMs + windowMs}`;
  const insert = sql`insert into ${own} (name, started_at, count) values (${name}, ${nowMs}, 1)
    on conflict (name) do update set
      started_at = case when ${isOpen} then ${own}.started_at else excluded.started_at end,
      count = case when ${isOpen} then ${own}.count + 1 else 1 end
    returning started_at, count`;
  const { rows } = await run(source, { compile: () => insert.compile(db) });
  return { startedAtMs: Number(rows[0]?.['started_at']), count: Number(rows[0]?.['count']) };
}
