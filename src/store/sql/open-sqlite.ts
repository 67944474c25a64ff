import type Database from 'libsql';
import { StoreError } from '../../errors/store-error.js';
import type { SqlDatabase, SqlTables } from '../sql-database.js';
import { createSqliteDialect } from './sqlite-dialect.js';

export interface SqliteOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** How long a writer waits for another process. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
  /** `full`: every commit survives a power cut. `normal` (default): the last ones may be lost by one, nothing else. */
  readonly synchronous?: 'normal' | 'full' | undefined;
  /** How large the file may grow, in pages of 4096 bytes. Default: as large as the disk lets it. */
  readonly maxPages?: number | undefined;
}

/**
 * Opens a SQLite file: write-ahead log, foreign keys, one connection. Several processes of one machine may share it.
 * @throws StoreError `STORE_FAILED` when the driver is not installed or the file cannot be opened
 */
export async function openSqlite(options: SqliteOptions): Promise<SqlDatabase> {
  const [{ Kysely }, driver] = await Promise.all([import('kysely'), loadDriver()]);
  const database = openFile(driver, options);
  const db = new Kysely<SqlTables>({ dialect: await createSqliteDialect(database) });
  return {
    kind: 'sqlite',
    db,
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

async function loadDriver(): Promise<typeof Database> {
  try {
    return (await import('libsql')).default;
  } catch (cause) {
    throw new StoreError('STORE_FAILED', 'SQLite needs the package "libsql" to be installed.', { cause });
  }
}

function openFile(driver: typeof Database, options: SqliteOptions): Database.Database {
  try {
    const database = new driver(options.file, { timeout: options.busyTimeoutMs ?? 5000 });
    database.pragma('journal_mode = WAL');
    // With the write-ahead log neither loses consistency.
    database.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
    database.pragma('foreign_keys = ON');
    return database;
  } catch (cause) {
    throw new StoreError('STORE_FAILED', `The database file ${options.file} cannot be opened.`, { cause });
  }
}
