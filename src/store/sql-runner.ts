import type { QueryResult } from 'kysely';

/** Runs statements: those of a transaction, or each by itself. */
export interface SqlRunner {
  /**
   * Runs a statement whose values stand behind its marks: `$1` on PostgreSQL, `?` in SQLite. Statements of a transaction are run
   * in the order they were asked for, whether their answers were waited for or not.
   */
  run(text: string, values: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
}
