import type { ColumnDataType, Kysely } from 'kysely';
import { type SqlDatabase, type SqlTables, sqlName } from './sql-database.js';

/** `text`, `whole` (64 bit), `flag` (0 or 1), `json` (text); `?` marks columns that may be null. */
export type ColumnKind = 'text' | 'whole' | 'flag' | 'json';

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
