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

/** By table and the list of the columns that are wanted: most lists are constants. */
const SOURCES = new WeakMap<RowCodec, WeakMap<readonly string[], RowSource>>();

/** What to read and from where; what is kept apart is joined where it is wanted. */
function writeSource(codec: RowCodec, wanted: readonly string[] = codec.allNames): RowSource {
  const written = SOURCES.get(codec) ?? new WeakMap<readonly string[], RowSource>();
  SOURCES.set(codec, written);
  const known = written.get(wanted);
  if (known !== undefined) return known;
  const { table, apart } = codec;
  // By their names, as a statement that is kept would end once its table has another column.
  const columns = [...new Set<string>(['id', ...wanted])];
  const isApart = apart !== undefined && columns.some((it) => apart.sqlColumns.has(codec.column(it)));
  const joined = isApart ? ` join ${quoteName(apart.table)} using ("id")` : '';
  const source = { selected: columns.map(codec.quoted).join(', '), from: quoteName(table) + joined };
  written.set(wanted, source);
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

/** A query as text, which selects the id and what is named. */
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
  // An id is never null, and an index on it is found without more words.
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

/** Values of a column with what was counted for them. */
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

/** What groups rows, as text: `value`, `total` and, where it is wanted, `sum`. */
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

/** A list of smallest ids, each of which an index answers; grouping would read all rows of each value. */
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

/** From one value to the next above it, each of which an index answers; `distinct` would read all rows that fit. */
export async function selectDistinct(
  on: SqlRunner,
  sources: SqlSources,
  name: string,
  { column, where }: { readonly column: string; readonly where: AnyWhere },
): Promise<readonly unknown[]> {
  const codec = requireCodec(sources, name);
  const values = new SqlValues(sources.kind);
  const [table, wanted] = [quoteName(codec.table), codec.quoted(column)];
  const first = `select min(${wanted}) from ${table} where ${writeCondition(sources, name, where, values)}`;
  const fitting = writeCondition(sources, name, where, values);
  const next = `select min(${wanted}) from ${table} where ${fitting} and ${table}.${wanted} > "known"."value"`;
  const text = `with recursive "known"("value") as (${first} union all select (${next}) from "known" where "known"."value" is not null) select "value" from "known" where "value" is not null`;
  const { rows } = await runText(on, text, values);
  return rows.map((row) => row['value']);
}
