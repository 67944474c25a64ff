import type { SqlDatabase } from '../../src/shared/store/sql-database.js';

/** Columns and indexes of the tables with a prefix, one line each, sorted. */
export async function describeSchema(
  { db, kind, kysely: { sql } }: SqlDatabase,
  prefix: string,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const like = `${prefix}%`;
  if (kind === 'postgres') {
    const columns = await sql<Record<string, string>>`select table_name as "table", column_name as "column",
      data_type as type, is_nullable as nullable, collation_name as collation from information_schema.columns
      where table_schema = current_schema() and table_name like ${like}`.execute(db);
    for (const { table, column, type, nullable, collation } of columns.rows) {
      lines.push(`${table}.${column} ${type} ${collation} nullable: ${nullable}`);
    }
    const indexes = await sql<Record<string, string>>`select indexdef as definition from pg_indexes
      where schemaname = current_schema() and tablename like ${like}`.execute(db);
    lines.push(...indexes.rows.map(({ definition }) => String(definition)));
  } else {
    const tables = await sql<{ name: string }>`select name from sqlite_master
      where type = 'table' and name like ${like}`.execute(db);
    for (const { name } of tables.rows) {
      const columns = await sql<Record<string, unknown>>`select * from pragma_table_info(${name})`.execute(
        db,
      );
      for (const one of columns.rows) {
        lines.push(`${name}.${one['name']} ${one['type']} not null: ${one['notnull']} key: ${one['pk']}`);
      }
    }
    const indexes = await sql<{ sql: string }>`select sql from sqlite_master
      where type = 'index' and sql is not null and tbl_name like ${like}`.execute(db);
    lines.push(...indexes.rows.map((row) => row.sql));
  }
  return lines.filter((line) => !line.includes('_migrations')).sort();
}
