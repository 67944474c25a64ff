import { chmod, open, realpath } from 'node:fs/promises';
import type Database from 'libsql';
import { ANY_TEXT, type OptionShapes, oneOfChoices, wholeNumber } from '../../errors/check-options.js';
import { EngineError, StoreError } from '../../errors/engine-error.js';
import { loadPackages } from '../../errors/load-packages.js';
import { OWNER_ONLY_FILE } from '../../util/files/folder-writer.js';
import { readErrno } from '../../util/files/read-regular-file.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlRunner } from '../sql-runner.js';
import type { SqlTables } from '../sql-tables.js';
import { shrinkSqlite } from './shrink-sqlite.js';
import { createSqliteConnection, createSqliteDialect, type SqliteConnection } from './sqlite-dialect.js';
import { isHeld, whenFree } from './wait-for-sqlite.js';

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

/** What its options may be. */
export const SQLITE_SHAPES: OptionShapes<SqliteOptions> = {
  file: ANY_TEXT,
  busyTimeoutMs: wholeNumber(0),
  synchronous: oneOfChoices('normal', 'full'),
  maxPages: wholeNumber(1),
};

/**
 * Opens a SQLite file: write-ahead log, foreign keys, one connection, readable by its owner only. Several processes of one machine may share it.
 * @throws StoreError `STORE_FAILED` when the file cannot be opened; EngineError `PACKAGE_MISSING`
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
  const alone = (work: () => void): Promise<void> => use(() => whenFree(work, waitMs));
  return {
    kind: 'sqlite',
    db,
    run,
    runAlone: run,
    transaction: (work) => use(() => transact(connection, work)),
    shrink: async () => {
      await shrinkSqlite(database, alone).catch(leaveHeld);
      // The file gets shorter as the log is written back; whoever reads at this moment is not waited for.
      await alone(() => void database.pragma('wal_checkpoint(PASSIVE)')).catch(leaveHeld);
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
 * Holds a transaction of an empty database beside the file. The operating system ends it with the process, so no lock is left behind.
 *
 * @throws EngineError (HOST_REFUSED)
 */
function lockHost(driver: typeof Database, file: string): () => void {
  const lock = new driver(`${file}-host`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (!isHeld(cause)) throw cause;
    throw new EngineError(
      'HOST_REFUSED',
      `Another host runs on ${file}. One host can run on a SQLite file: stop the other one, or give each a folder of its own (--data). Several hosts share a PostgreSQL database (--database).`,
      { cause },
    );
  }
  return () => lock.close();
}

/** Another process at work is no failure: there is a next time. */
function leaveHeld(error: unknown): void {
  if (!isHeld(error)) throw error;
}

const BUSY_TIMEOUT_MS = 5000;

/** What is left of the write-ahead log once it was written back. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * What lies beside a file while it is open takes its mode when it is made; what was left there is brought to it.
 *
 * @returns its path without links, from the root: what lies beside it does so there, and the process may be somewhere else when the file is opened once more
 */
async function makePrivate(given: string): Promise<string> {
  try {
    await (await open(given, 'a', OWNER_ONLY_FILE)).close();
    const file = await realpath(given);
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
      `The database file ${given} cannot be opened and kept from others (${why}).`,
      { cause },
    );
  }
}

function openFile(driver: typeof Database, options: SqliteOptions): Database.Database {
  try {
    const database = new driver(options.file, {
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    });
    // Before anything is in it: later it takes writing the file anew.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    // With the write-ahead log neither loses consistency.
    database.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
    database.pragma('foreign_keys = ON');
    // From here on `whenFree` waits, and the process does something else meanwhile.
    database.pragma('busy_timeout = 0');
    return database;
  } catch (cause) {
    throw new StoreError('STORE_FAILED', `The database file ${options.file} cannot be opened.`, { cause });
  }
}
