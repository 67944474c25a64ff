import type { Query, Row, Tally } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import { runText } from './run-text.js';
import { type Grouping, writeGrouping, writeSelect } from './sql-select.js';
import { requireCodec, type SqlSources, SqlValues } from './sql-where.js';

/** A query for rows or tallies. See `Queries` of the port. */
export type SqlNamedQuery =
  | ({ readonly find: string; readonly columns: readonly string[] } & Omit<Query<Row>, 'columns'>)
  | ({ readonly tally: string } & Required<Grouping>);

type Listed = readonly (readonly unknown[] | null)[];

/**
 * Runs several queries in one statement. The database builds one JSON list per column: drivers read one text many
 * times faster than the values of many rows.
 */
export async function runQueries(
  on: SqlRunner,
  sources: SqlSources,
  queries: Readonly<Record<string, SqlNamedQuery | undefined>>,
): Promise<Record<string, unknown>> {
  const entries = Object.entries(queries).flatMap(([name, it]) => (it ? [[name, it] as const] : []));
  const results: Record<string, unknown> = {};
  if (entries.length === 0) return results;
  const values = new SqlValues(sources.kind);
  const parts = entries.map(([, it], index) => `(${writeQuery(sources, it, values)}) as "a${index}"`);
  const { rows } = await runText(on, `select ${parts.join(', ')}`, values);
  for (const [index, [name, query]] of entries.entries()) {
    const lists = readLists(rows[0]?.[`a${index}`]);
    results[name] = 'find' in query ? readRows(sources, query, lists) : readTallies(lists);
  }
  return results;
}

/** The PostgreSQL driver parses JSON itself. */
function readLists(value: unknown): Listed {
  // `writeQuery` determines the shape.
  return (typeof value === 'string' ? JSON.parse(value) : value) as Listed;
}

function writeQuery(sources: SqlSources, query: SqlNamedQuery, values: SqlValues): string {
  if ('find' in query) {
    const codec = requireCodec(sources, query.find);
    const columns = listColumns(query.columns).map((name) =>
      codec.isDecimal(name) ? writeDecimal(sources, codec.column(name)) : codec.quoted(name),
    );
    // SQLite reliably keeps the order of a subquery for aggregates only if the subquery has a limit.
    const limited = { ...query, limit: query.limit ?? Number.MAX_SAFE_INTEGER };
    return gather(sources, columns, writeSelect(sources, query.find, limited as Query<Row>, values));
  }
  const columns = ['"value"', '"total"', '"sum"'];
  return gather(sources, columns, writeGrouping(sources, query.tally, query, values));
}

const GATHERING = {
  sqlite: { all: 'json_array', each: 'json_group_array' },
  postgres: { all: 'json_build_array', each: 'json_agg' },
} as const;

function gather({ kind }: SqlSources, columns: readonly string[], rows: string): string {
  const { all, each } = GATHERING[kind];
  return `select ${all}(${columns.map((column) => `${each}(${column})`).join(', ')}) from (${rows}) as "rows"`;
}

/** SQLite writes only 15 digits of a number into JSON. */
function writeDecimal({ kind }: SqlSources, column: string): string {
  const quoted = quoteName(column);
  return kind === 'postgres'
    ? quoted
    : `case when ${quoted} is null then null else printf('%!.17g', ${quoted}) end`;
}

function listColumns(columns: readonly string[]): readonly string[] {
  return ['id', ...columns.filter((name) => name !== 'id')];
}

function readRows(
  sources: SqlSources,
  { find, columns }: Extract<SqlNamedQuery, { find: string }>,
  [ids, ...lists]: Listed,
): readonly Row[] {
  const codec = requireCodec(sources, find);
  // Every table has the column `id`, an integer.
  const rows = (ids ?? []).map((id) => ({ id }) as Row & Record<string, unknown>);
  const [, ...names] = listColumns(columns);
  for (const [index, name] of names.entries()) {
    const list = lists[index] ?? [];
    const isPlain = codec.isPlain(name);
    for (const [at, row] of rows.entries()) {
      row[name] = isPlain ? list[at] : codec.decodeValue(name, list[at]);
    }
  }
  return rows;
}

function readTallies([values, totals, sums]: Listed): ReadonlyMap<unknown, Tally> {
  return new Map(
    values?.map((value, index) => {
      return [value, { count: Number(totals?.[index]), sum: Number(sums?.[index] ?? 0) }] as const;
    }),
  );
}
