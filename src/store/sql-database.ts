import type { Kysely, QueryResult } from 'kysely';
import type { TransactionOptions } from './record-store.js';
import type { SqlRunner } from './sql-runner.js';
import type { SqlTables } from './sql-tables.js';

/** An open SQL database, and what differs between the two kinds. */
export interface SqlDatabase extends SqlRunner {
  readonly kind: 'sqlite' | 'postgres';
  /** The query builder: for the history of tables, and for whoever has more use for words than for speed. */
  readonly db: Kysely<SqlTables>;
  /** Runs one statement as a transaction of its own, in one round trip. @throws StoreError `STORE_BUSY` */
  runAlone(text: string, values: readonly unknown[]): Promise<QueryResult<Record<string, unknown>>>;
  /** Runs `work` whole or not at all, begun again when other writers interfere. @throws StoreError `STORE_BUSY` */
  transaction<R>(work: (on: SqlRunner) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Gives the room of removed rows back to the disk, where that is not done by itself. */
  shrink(): Promise<void>;
  /** See `RecordStore`. */
  readonly changeCount?: (() => Promise<number>) | undefined;
  /** See `RecordStore`. */
  readonly exclusively?: (<R>(name: string, work: () => Promise<R>) => Promise<R>) | undefined;
  /** See `RecordStore`. */
  readonly lockHost?: (() => Promise<() => void>) | undefined;
  close(): Promise<void>;
}

/** `createdAt` as SQL writes it: `created_at`. */
export function sqlName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
