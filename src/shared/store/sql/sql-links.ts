import type { LinkSource, LinkValues, Row } from '../record-store.js';
import type { SqlRunner } from '../sql-runner.js';
import type { RowCodec } from './row-codec.js';
import { runText, type SqlRow } from './run-text.js';
import { requireCodec, type SqlSources, SqlValues } from './sql-where.js';

type AnyLinks = Readonly<
  Record<string, { readonly table: string; readonly where: Readonly<Record<string, LinkSource>> }>
>;

/** A statement for linked rows and the mapping of its result. */
interface LinkStatement {
  readonly text: string;
  /** Names of the values in the order of the placeholders. */
  readonly parameters: readonly string[];
  readonly rows: readonly LinkedRow[];
}

interface LinkedRow {
  readonly name: string;
  readonly codec: RowCodec;
  /** Columns and their aliases. The first one is the id. */
  readonly columns: readonly (readonly [column: string, selectedAs: string])[];
}

/** Cached statements by links. Building one takes longer than running it. */
export type LinkStatements = WeakMap<AnyLinks, LinkStatement>;

/** Reads linked rows in one statement with left joins, so that a missing row does not hide the others. */
export async function readLinked(
  on: SqlRunner,
  sources: SqlSources,
  statements: LinkStatements,
  { links, values }: { readonly links: AnyLinks; readonly values: LinkValues },
): Promise<Record<string, Row | undefined>> {
  const statement = statements.get(links) ?? buildStatement(sources, links);
  statements.set(links, statement);
  const marked = new SqlValues(sources.kind);
  for (const name of statement.parameters) marked.list.push(values[name] ?? null);
  const { rows } = await runText(on, statement.text, marked);
  const linked: Record<string, Row | undefined> = {};
  for (const it of statement.rows) linked[it.name] = decodeRow(rows[0] ?? {}, it);
  return linked;
}

function decodeRow(found: SqlRow, { codec, columns }: LinkedRow): Row | undefined {
  if ((found[columns[0]?.[1] ?? ''] ?? null) === null) return undefined;
  // Every table has the column `id`, an integer.
  const row = {} as Row & Record<string, unknown>;
  for (const [column, selectedAs] of columns) {
    Reflect.set(row, column, codec.decodeValue(column, found[selectedAs]));
  }
  return row;
}

function buildStatement(sources: SqlSources, links: AnyLinks): LinkStatement {
  const parameters: string[] = [];
  const rows: LinkedRow[] = [];
  const selected: string[] = [];
  const joins: string[] = [];
  const aliases = new Map(Object.keys(links).map((name, index) => [name, `r${index}`]));
  for (const [name, { table, where }] of Object.entries(links)) {
    const codec = requireCodec(sources, table);
    const alias = aliases.get(name) ?? '';
    const columns = codec.names.map((column, index) => [column, `c${selected.length + index}`] as const);
    rows.push({ name, codec, columns });
    for (const [column, selectedAs] of columns)
      selected.push(`${alias}."${codec.column(column)}" as ${selectedAs}`);
    const conditions = Object.entries(where).map(([column, source]) => {
      const left = `${alias}."${codec.column(column)}"`;
      if ('of' in source) {
        const before = requireCodec(sources, links[source.of]?.table ?? '');
        return `${left} = ${aliases.get(source.of) ?? ''}."${before.column(source.column)}"`;
      }
      parameters.push(source.value);
      return `${left} = ${sources.kind === 'postgres' ? `$${parameters.length}` : '?'}`;
    });
    joins.push(`left join "${codec.table}" as ${alias} on ${conditions.join(' and ')}`);
  }
  const text = `select ${selected.join(', ')} from (select 1 as one) as start ${joins.join(' ')} limit 1`;
  return { text, parameters, rows };
}
