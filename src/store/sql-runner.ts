import type { QueryResult } from 'kysely';

/** Runs statements: those of a transaction, or each by itself. */
export interface SqlRunner {
  /**
   * Runs a statement whose values stand behind its marks: `$1` on PostgreSQL, `?` in SQLite. Statements of a transaction are run
   * in the order they were asked for, whether their answers were waited for or not.
   */
  run(
    text: string,
    values: readonly unknown[],
    options?: StatementOptions,
  ): Promise<QueryResult<Record<string, unknown>>>;
}

export interface StatementOptions {
  /** Nothing more is asked in the transaction, and it is to be kept if this goes well: its commit may go out with it. */
  readonly isLast?: boolean | undefined;
}
