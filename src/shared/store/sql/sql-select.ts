import type { Query, Row } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import type { RowCodec } from './row-codec.js';
import { LOCKS, type RowLock } from './row-lock.js';
import { runText, type SqlRow } from './run-text.js';
import { requireCodec, type SqlSources, SqlValues, writeCondition } from './sql-where.js';

type AnyWhere = Readonly<Record<string, unknown>>;

interface RowSource {
  readonly selected: string;
  readonly from: string;
}

/** Cached by table and list of columns. Most lists are constants. */
const SOURCES = new WeakMap<RowCodec, WeakMap<readonly string[], RowSource>>();

/** Writes the selected columns and the tables, joined with the `apart` table if needed. */
function writeSource(codec: RowCodec, requested: readonly string[] = codec.allNames): RowSource {
  const written = SOURCES.get(codec) ?? new WeakMap<readonly string[], RowSource>();
  SOURCES.set(codec, written);
  const known = written.get(requested);
  if (known !== undefined) return known;
  const { table, apart } = codec;
  // Columns are named explicitly: `*` in a prepared statement fails after a column is added.
  const columns = [...new Set<string>(['id', ...requested])];
  const isApart = apart !== undefined && columns.some((it) => apart.sqlColumns.has(codec.column(it)));
  const joined = isApart ? ` join ${quoteName(apart.table)} using ("id")` : '';
  const source = { selected: columns.map(codec.quoted).join(', '), from: quoteName(table) + joined };
  written.set(requested, source);
  return source;
}

export async function selectRows(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  query: Query<Row> & { lock?: RowLock | undefined },
): Promise<Row[]> {
  const values = new SqlValues(sources.kind);
  const { rows } = await runText(on, writeSelect(sources, name, query, values), values);
  const codec = requireCodec(sources, name);
  return rows.map((row) => codec.decode(row, query.columns));
}

/** Writes a select statement for the id and the columns. */
export function writeSelect(
  sources: SqlSources,
  name: string,
  query: Query<Row> & { lock?: RowLock | undefined },
  values: SqlValues,
): string {
  const { where = {}, sortBy = 'id', descending = false, limit, offset = 0, lock } = query;
  const codec = requireCodec(sources, name);
  const { selected, from } = writeSource(codec, query.columns);
  const fitting = writeCondition(sources, name, where, values);
  const sorted = codec.quoted(sortBy);
  // An id is never null, and without `nulls` clause its index is used.
  const order = sortBy === 'id' ? '' : `${sorted} ${descending ? 'desc nulls last' : 'asc nulls first'}, `;
  let text = `select ${selected} from ${from} where ${fitting} order by ${order}"id"`;
  if (descending) text += ' desc';
  // SQLite has no offset without a limit.
  if (limit !== undefined || offset > 0) text += ` limit ${values.mark(limit ?? Number.MAX_SAFE_INTEGER)}`;
  if (offset > 0) text += ` offset ${values.mark(offset)}`;
  if (lock !== undefined && sources.kind === 'postgres')
    text += `${LOCKS[lock]} of ${quoteName(codec.table)}`;
  return text;
}

/** Values of a column with their counts. */
export async function groupRows(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  grouping: Grouping,
): Promise<readonly SqlRow[]> {
  const values = new SqlValues(sources.kind);
  return (await runText(on, writeGrouping(sources, name, grouping, values), values)).rows;
}

export interface Grouping {
  readonly column: string;
  readonly summed?: string | undefined;
  readonly where: AnyWhere;
}

/** Writes a grouping query with `value`, `total` and optionally `sum`. */
export function writeGrouping(
  sources: SqlSources,
  name: string,
  { column, summed, where }: Grouping,
  values: SqlValues,
): string {
  const codec = requireCodec(sources, name);
  const grouped = codec.quoted(column);
  const sum = summed === undefined ? '' : `, sum(${codec.quoted(summed)}) as "sum"`;
  const fitting = writeCondition(sources, name, where, values);
  return `select ${grouped} as "value", count(*) as "total"${sum} from ${quoteName(codec.table)} where ${fitting} group by ${grouped}`;
}

export interface FirstWanted {
  readonly column: string;
  readonly values: readonly unknown[];
  readonly where: AnyWhere | readonly AnyWhere[];
  readonly limit?: number | undefined;
  readonly columns?: readonly string[] | undefined;
}

/** Selects the smallest ids per value with index lookups. Grouping would read all rows of each value. */
export async function selectFirst(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  { column, values: listed, where, limit = 1, columns }: FirstWanted,
): Promise<Row[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const table = quoteName(codec.table);
  const { selected, from } = writeSource(codec, columns);
  const conditions = [where]
    .flat()
    .flatMap((one) => [...new Set(listed)].map((it) => ({ ...one, [column]: it })));
  const parts = conditions.map((condition, index) => {
    const fitting = writeCondition(sources, name, condition, values);
    const first = `select "id" from ${table} where ${fitting} order by "id" limit ${values.mark(limit)}`;
    return `select "id" from (${first}) as "first_${index}"`;
  });
  const text = `select ${selected} from ${from} where "id" in (${parts.join(' union all ')}) order by "id"`;
  const { rows } = await runText(on, text, values);
  return rows.map((row) => codec.decode(row, columns));
}

/** Steps from value to value with index lookups. `distinct` would read all matching rows. */
export async function selectDistinct(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  { column, where }: { readonly column: string; readonly where: AnyWhere },
): Promise<readonly unknown[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const [table, requested] = [quoteName(codec.table), codec.quoted(column)];
  const first = `select min(${requested}) from ${table} where ${writeCondition(sources, name, where, values)}`;
  const fitting = writeCondition(sources, name, where, values);
  const next = `select min(${requested}) from ${table} where ${fitting} and ${table}.${requested} > "known"."value"`;
  const text = `with recursive "known"("value") as (${first} union all select (${next}) from "known" where "known"."value" is not null) select "value" from "known" where "value" is not null`;
  const { rows } = await runText(on, text, values);
  return rows.map((row) => row['value']);
}
