import type { ColumnDataType, Kysely } from 'kysely';
import { type SqlDatabase, sqlName } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';

/** `text`, `whole` (64 bit), `flag` (0 or 1), `decimal`, `json` (text). `?` marks nullable columns. */
export type ColumnKind = 'text' | 'whole' | 'flag' | 'decimal' | 'json';

export interface TableColumns {
  readonly columns: Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>;
  /** Unique constraints: sets of columns. */
  readonly unique?: readonly (readonly string[])[];
  /** Indexes: lists of columns. */
  readonly indexes?: readonly (readonly string[])[];
}

/** Creates a table with `id` and indexes on both databases. */
export async function createTable(
  db: Kysely<SqlTables>,
  kind: SqlDatabase['kind'],
  table: string,
  { columns, unique = [], indexes = [] }: TableColumns,
): Promise<void> {
  const { sql } = await import('kysely');
  // Both databases sort by code point. A PostgreSQL database with a locale would sort differently.
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
  const specs = [
    ...unique.map((names) => ({ names, isUnique: true })),
    ...indexes.map((names) => ({ names, isUnique: false })),
  ];
  for (const { names, isUnique } of specs) {
    const indexed = names.map(sqlName);
    const index = db.schema
      .createIndex(`${table}_${indexed.join('_')}`)
      .on(table)
      .columns(indexed);
    await (isUnique ? index.unique() : index).execute();
  }
}

/** Creates the table of `countInWindow`. `unlogged`: faster on PostgreSQL, but a crash may empty it. */
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
