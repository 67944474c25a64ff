import type { Kysely } from 'kysely';
import type { LinkSource, LinkValues, Row } from '../record-store.js';
import type { SqlTables } from '../sql-tables.js';
import type { RowCodec } from './row-codec.js';
import { requireCodec, type SqlSources } from './sql-where.js';

type AnyLinks = Readonly<
  Record<string, { readonly table: string; readonly where: Readonly<Record<string, LinkSource>> }>
>;

/** A statement that reads rows which lead to one another, and how its answer becomes them. */
interface LinkStatement {
  readonly text: string;
  /** The names of the values, in the order of their marks. */
  readonly parameters: readonly string[];
  readonly rows: readonly { readonly name: string; readonly codec: RowCodec; readonly from: number }[];
}

/** Statements by the links they are made of: a call is built anew for less than the query builder needs to write it. */
export type LinkStatements = WeakMap<AnyLinks, LinkStatement>;

/** Reads the rows of some links in one statement: one left join after the other, so that what is missing leaves the rest. */
export async function readLinked(
  db: Kysely<SqlTables>,
  sources: SqlSources,
  statements: LinkStatements,
  { links, values }: { readonly links: AnyLinks; readonly values: LinkValues },
): Promise<Record<string, Row | undefined>> {
  const statement = statements.get(links) ?? buildStatement(sources, links);
  statements.set(links, statement);
  const { CompiledQuery } = await import('kysely');
  const parameters = statement.parameters.map((name) => values[name] ?? null);
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(statement.text, parameters),
  );
  const [found = {}] = rows;
  return Object.fromEntries(statement.rows.map((it) => [it.name, decodeRow(found, it)]));
}

function decodeRow(
  found: Readonly<Record<string, unknown>>,
  { codec, from }: LinkStatement['rows'][number],
): Row | undefined {
  const record: Record<string, unknown> = {};
  for (const [index, column] of codec.sqlColumns.entries())
    record[column] = found[`c${from + index}`] ?? null;
  return record['id'] === null ? undefined : codec.decode(record);
}

function buildStatement(sources: SqlSources, links: AnyLinks): LinkStatement {
  const parameters: string[] = [];
  const rows: { name: string; codec: RowCodec; from: number }[] = [];
  const selected: string[] = [];
  const joins: string[] = [];
  const aliases = new Map(Object.keys(links).map((name, index) => [name, `r${index}`]));
  for (const [name, { table, where }] of Object.entries(links)) {
    const codec = requireCodec(sources, table);
    const alias = aliases.get(name) ?? '';
    rows.push({ name, codec, from: selected.length });
    for (const column of codec.sqlColumns) selected.push(`${alias}."${column}" as c${selected.length}`);
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
