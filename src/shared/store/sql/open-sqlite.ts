import { chmod, open, realpath } from 'node:fs/promises';
import type Database from 'libsql';
import { ANY_TEXT, type OptionShapes, oneOfChoices, wholeNumber } from '../../errors/check-options.js';
import { EngineError, StoreError } from '../../errors/engine-error.js';
import { loadPackages } from '../../errors/load-packages.js';
import { OWNER_ONLY_FILE } from '../../folder-writer.js';
import { readErrno } from '../../read-regular-file.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlRunner } from '../sql-runner.js';
import type { SqlTables } from '../sql-tables.js';
import { shrinkSqlite } from './shrink-sqlite.js';
import { createSqliteConnection, createSqliteDialect, type SqliteConnection } from './sqlite-dialect.js';
import { isLocked, whenUnlocked } from './wait-for-sqlite.js';

export interface SqliteOptions {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** How long a writer waits for another process. Default 5000. */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * `full`: every commit survives a power failure. `normal` (default): a power failure may lose the last commits, but
   * never corrupts the file.
   */
  readonly synchronous?: 'normal' | 'full' | undefined;
  /** Maximum file size in pages of 4096 bytes. Default: unlimited. */
  readonly maxPages?: number | undefined;
}

/** Shapes of the options. */
export const SQLITE_SHAPES: OptionShapes<SqliteOptions> = {
  file: ANY_TEXT,
  busyTimeoutMs: wholeNumber(0),
  synchronous: oneOfChoices('normal', 'full'),
  maxPages: wholeNumber(1),
};

/**
 * Opens a SQLite file with write-ahead log, foreign keys and one connection. Only its owner can read the file.
 * Several processes of one machine may share it.
 * @throws StoreError `STORE_FAILED` if the file cannot be opened; EngineError `PACKAGE_MISSING`
 */
export async function openSqlite(options: SqliteOptions): Promise<SqlDatabase> {
  const { kysely, libsql } = await loadPackages('A SQLite store', {
    kysely: () => import('kysely'),
    libsql: () => import('libsql'),
  });
  const file = options.file === ':memory:' ? options.file : await makePrivate(options.file);
  const database = openFile(libsql.default, { ...options, file });
  const waitMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const connection = createSqliteConnection(database, waitMs);
  const db = new kysely.Kysely<SqlTables>({ dialect: await createSqliteDialect(connection) });
  const use = async <R>(work: () => Promise<R>): Promise<R> => {
    await connection.acquire();
    try {
      return await work();
    } finally {
      connection.release();
    }
  };
  const run: SqlDatabase['run'] = (text, values) => use(() => connection.run(text, values));
  const alone = (work: () => void): Promise<void> => use(() => whenUnlocked(work, waitMs));
  return {
    kind: 'sqlite',
    db,
    run,
    runAlone: run,
    transaction: (work) => use(() => transact(connection, work)),
    shrink: async () => {
      await shrinkSqlite(database, alone).catch(ignoreLocked);
      // The checkpoint shortens the file. PASSIVE does not wait for readers.
      await alone(() => void database.pragma('wal_checkpoint(PASSIVE)')).catch(ignoreLocked);
    },
    ...(file !== ':memory:' && {
      changeCount: async () => {
        const { rows } = await run('pragma data_version', []);
        return Number(rows[0]?.['data_version']);
      },
      lockHost: async () => lockHost(libsql.default, file),
    }),
    close: async () => {
      await db.destroy();
      connection.close();
    },
  };
}

async function transact<R>(connection: SqliteConnection, work: (on: SqlRunner) => Promise<R>): Promise<R> {
  await connection.begin();
  try {
    const result = await work(connection);
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/**
 * Holds a transaction on an empty database file beside the database. The operating system releases it with the
 * process, so no stale lock remains.
 *
 * @throws EngineError (HOST_REFUSED)
 */
function lockHost(driver: typeof Database, file: string): () => void {
  const lock = new driver(`${file}-host`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (!isLocked(cause)) throw cause;
    throw new EngineError(
      'HOST_REFUSED',
      `Another host runs on ${file}. One host can run on a SQLite file: stop the other one, or give each a folder of its own (--data). Several hosts share a PostgreSQL database (--database).`,
      { cause },
    );
  }
  return () => lock.close();
}

/** Ignores the lock of another process. The next call tries again. */
function ignoreLocked(error: unknown): void {
  if (!isLocked(error)) throw error;
}

const BUSY_TIMEOUT_MS = 5000;

/** Maximum size of the write-ahead log file after a checkpoint. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Restricts the file and its companions to the owner. Companions inherit the mode of the file when SQLite creates
 * them; existing ones are changed.
 *
 * @returns the real absolute path, which stays valid if the working directory changes
 */
async function makePrivate(path: string): Promise<string> {
  try {
    await (await open(path, 'a', OWNER_ONLY_FILE)).close();
    const file = await realpath(path);
    await chmod(file, OWNER_ONLY_FILE);
    for (const beside of [`${file}-wal`, `${file}-shm`]) {
      await chmod(beside, OWNER_ONLY_FILE).catch((error: unknown) => {
        if (readErrno(error) !== 'ENOENT') throw error;
      });
    }
    return file;
  } catch (cause) {
    const why = readErrno(cause);
    throw new StoreError(
      'STORE_FAILED',
      `The database file ${path} cannot be opened and restricted to its owner (${why}).`,
      { cause },
    );
  }
}

function openFile(driver: typeof Database, options: SqliteOptions): Database.Database {
  try {
    const database = new driver(options.file, {
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    });
    // Must precede the first table. A later change needs a rewrite of the file.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    // With the write-ahead log, neither mode loses consistency.
    database.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
    database.pragma('foreign_keys = ON');
    // `whenUnlocked` waits instead, without blocking the event loop.
    database.pragma('busy_timeout = 0');
    return database;
  } catch (cause) {
    throw new StoreError('STORE_FAILED', `The database file ${options.file} cannot be opened.`, { cause });
  }
}
