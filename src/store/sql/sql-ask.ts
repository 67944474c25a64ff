import type { Query, Row, Tally } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import { quoteName } from './quote-name.js';
import { runText } from './run-text.js';
import { type Grouping, writeGrouping, writeSelect } from './sql-select.js';
import { requireCodec, type SqlSources, SqlValues } from './sql-where.js';

/** Rows or tallies of a table; see `Questions` of the port. */
export type SqlQuestion =
  | ({ readonly find: string; readonly columns: readonly string[] } & Omit<Query<Row>, 'columns'>)
  | ({ readonly tally: string } & Required<Grouping>);

type Listed = readonly (readonly unknown[] | null)[];

/**
 * Asks several questions in one statement. Each is answered by lists of JSON, one for each column: drivers hand over one text many
 * times as fast as the values of many rows.
 */
export async function askTogether(
  on: SqlRunner,
  sources: SqlSources,
  questions: Readonly<Record<string, SqlQuestion | undefined>>,
): Promise<Record<string, unknown>> {
  const asked = Object.entries(questions).flatMap(([name, it]) => (it ? [[name, it] as const] : []));
  const answers: Record<string, unknown> = {};
  if (asked.length === 0) return answers;
  const values = new SqlValues(sources.kind);
  const parts = asked.map(([, it], index) => `(${writeQuestion(sources, it, values)}) as "a${index}"`);
  const { rows } = await runText(on, `select ${parts.join(', ')}`, values);
  for (const [index, [name, question]] of asked.entries()) {
    const lists = readLists(rows[0]?.[`a${index}`]);
    answers[name] = 'find' in question ? readRows(sources, question, lists) : readTallies(lists);
  }
  return answers;
}

/** PostgreSQL's driver reads JSON by itself. */
function readLists(value: unknown): Listed {
  // It is what `writeQuestion` lets the database make.
  return (typeof value === 'string' ? JSON.parse(value) : value) as Listed;
}

function writeQuestion(sources: SqlSources, question: SqlQuestion, values: SqlValues): string {
  if ('find' in question) {
    const codec = requireCodec(sources, question.find);
    const columns = listColumns(question.columns).map((name) =>
      codec.isDecimal(name) ? writeDecimal(sources, codec.column(name)) : codec.quoted(name),
    );
    // SQLite keeps the order of an inner query for what gathers its rows, and surely that of one with a limit.
    const limited = { ...question, limit: question.limit ?? Number.MAX_SAFE_INTEGER };
    return gather(sources, columns, writeSelect(sources, question.find, limited as Query<Row>, values));
  }
  const columns = ['"value"', '"total"', '"sum"'];
  return gather(sources, columns, writeGrouping(sources, question.tally, question, values));
}

const GATHERING = {
  sqlite: { all: 'json_array', each: 'json_group_array' },
  postgres: { all: 'json_build_array', each: 'json_agg' },
} as const;

function gather({ kind }: SqlSources, columns: readonly string[], rows: string): string {
  const { all, each } = GATHERING[kind];
  return `select ${all}(${columns.map((column) => `${each}(${column})`).join(', ')}) from (${rows}) as "rows"`;
}

/** SQLite writes 15 digits into JSON, which are not always all. */
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
  { find, columns }: Extract<SqlQuestion, { find: string }>,
  [ids, ...lists]: Listed,
): readonly Row[] {
  const codec = requireCodec(sources, find);
  // Every table has the column `id`, a whole number.
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
