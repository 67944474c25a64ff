import type { Kysely } from 'kysely';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';
import { translateErrors } from './sql-errors.js';
import type { SqlSources, SqlValues } from './sql-where.js';

/** What statements are made of, and what runs them. */
export interface StatementSources extends SqlSources, Pick<SqlDatabase, 'run'> {}

export type SqlRow = Record<string, unknown>;

/** A statement as text with its values, run under our error codes. */
export function runText(
  db: Kysely<SqlTables>,
  sources: StatementSources,
  text: string,
  values: SqlValues,
): ReturnType<SqlDatabase['run']> {
  return translateErrors(() => sources.run(db, text, values.list));
}
