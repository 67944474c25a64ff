import type { Kysely, QueryResult } from 'kysely';
import type { TransactionOptions } from './record-store.js';
import type { SqlRunner } from './sql-runner.js';
import type { SqlTables } from './sql-tables.js';

/** An open SQL database and its differences between SQLite and PostgreSQL. */
export interface SqlDatabase extends SqlRunner {
  readonly kind: 'sqlite' | 'postgres';
  /** The query builder, for migrations and queries that are not time-critical. */
  readonly db: Kysely<SqlTables>;
  /** Runs one statement as its own transaction in one round trip. @throws StoreError `STORE_BUSY` */
  runAlone(text: string, values: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  /** Runs `work` as a transaction and retries it after conflicts. @throws StoreError `STORE_BUSY` */
  transaction<R>(work: (on: SqlRunner) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** See `RecordStore`. */
  shrink(): Promise<void>;
  /** See `RecordStore`. */
  readonly changeCount?: (() => Promise<number>) | undefined;
  /** See `RecordStore`. */
  readonly exclusively?: (<R>(name: string, work: () => Promise<R>) => Promise<R>) | undefined;
  /** See `RecordStore`. */
  readonly lockHost?: (() => Promise<() => void>) | undefined;
  close(): Promise<void>;
}

/** Converts a name to SQL style: `createdAt` becomes `created_at`. */
export function sqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
