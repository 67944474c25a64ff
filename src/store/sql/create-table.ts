import type { ColumnDataType, Kysely } from 'kysely';
import { type SqlDatabase, sqlName } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';

/** `text`, `whole` (64 bit), `flag` (0 or 1), `decimal`, `json` (text); `?` marks columns that may be null. */
export type ColumnKind = 'text' | 'whole' | 'flag' | 'decimal' | 'json';

export interface TableColumns {
  readonly columns: Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>;
  /** Sets of columns no two rows may share. */
  readonly unique?: readonly (readonly string[])[];
  /** Columns rows are looked up by, together. */
  readonly indexes?: readonly (readonly string[])[];
}

/** Makes a table with `id` and its indexes in the way both databases understand it. */
export async function createTable(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  table: string,
  { columns, unique = [], indexes = [] }: TableColumns,
): Promise<void> {
  const { sql } = await import('kysely');
  // Text is ordered by code point in both; databases with a language of their own would order it otherwise.
  const types: Record<ColumnKind, ColumnDataType | ReturnType<typeof sql>> = {
    text: kind === 'postgres' ? sql`text collate "C"` : 'text',
    json: 'text',
    whole: 'bigint',
    flag: 'integer',
    decimal: 'double precision',
  };
  let builder = db.schema
    .createTable(table)
    .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigint', (column) =>
      kind === 'sqlite'
        ? column.primaryKey().autoIncrement()
        : column.primaryKey().generatedByDefaultAsIdentity(),
    );
  for (const [column, declared] of Object.entries(columns)) {
    const type = types[declared.replace('?', '') as ColumnKind];
    builder = builder.addColumn(sqlName(column), type, (it) => (declared.endsWith('?') ? it : it.notNull()));
  }
  await builder.execute();
  const wanted = [
    ...unique.map((names) => ({ names, isUnique: true })),
    ...indexes.map((names) => ({ names, isUnique: false })),
  ];
  for (const { names, isUnique } of wanted) {
    const indexed = names.map(sqlName);
    const index = db.schema
      .createIndex(`${table}_${indexed.join('_')}`)
      .on(table)
      .columns(indexed);
    await (isUnique ? index.unique() : index).execute();
  }
}

/**
 * Makes the table the port of record stores counts windows in.
 * `unlogged`: PostgreSQL may lose it in a crash, and writes it the faster.
 */
export async function createWindowTable(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  table: string,
  { unlogged = false }: { readonly unlogged?: boolean } = {},
): Promise<void> {
  const { sql } = await import('kysely');
  const builder = db.schema.createTable(table);
  await (unlogged && kind === 'postgres' ? builder.modifyFront(sql`unlogged`) : builder)
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .execute();
}
