import type { QueryResult } from 'kysely';

/** Runs statements, in a transaction or outside of one. */
export interface SqlRunner {
  /**
   * Runs a statement with placeholders: `$1` on PostgreSQL, `?` in SQLite. Statements of a transaction run in call
   * order, even if the caller does not await each one.
   */
  run(text: string, values: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
}
