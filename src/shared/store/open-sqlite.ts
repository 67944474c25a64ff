import { chmod, open, realpath } from 'node:fs/promises';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Database from 'libsql';
import { EngineError, StoreError } from '../errors/engine-error.js';
import { loadPackages } from '../errors/load-packages.js';
import { OWNER_ONLY_FILE, readErrno } from '../files.js';
import type { SqliteOptions } from './database-options.js';
import type { SqlResult, SqlRunner } from './record-store.js';
import {
  describeCause,
  type Retrying,
  readCode,
  retry,
  type SqlDatabase,
  type SqlTables,
} from './sql-database.js';

const BUSY_TIMEOUT_MS = 5000;
/** Retry interval while another process locks the file. Longer ones would be overtaken by it. */
const RETRY_MS = 1;
/** Maximum size of the write-ahead log file after a checkpoint. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** Pages that one step of `shrink` frees. It blocks the event loop for some milliseconds. */
const SHRINK_PAGES = 500;

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
  const { CompiledQuery, Kysely, SqliteAdapter, SqliteDialect } = kysely;
  const isMemory = options.file === ':memory:';
  const file = isMemory ? options.file : await makePrivate(options.file);
  const driver = openFile(libsql.default, { ...options, file });
  const dialect = new (class extends SqliteDialect {
    override createAdapter() {
      // Migrations run in a transaction.
      return new (class extends SqliteAdapter {
        override get supportsTransactionalDdl() {
          return true;
        }
      })();
    }
  })({ database: wrapDriver(driver) });
  const db = new Kysely<SqlTables>({ dialect });
  const waitMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const retrying: Retrying = {
    isRetryable: isLocked,
    pauseMs: (_, startedAtMs) => (performance.now() - startedAtMs < waitMs ? RETRY_MS : undefined),
  };
  const runOn = (on: typeof db, text: string, values: readonly unknown[]): Promise<SqlResult> =>
    on.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]));
  const run: SqlDatabase['run'] = (text, values) => retry(retrying, () => runOn(db, text, values));
  return {
    kind: 'sqlite',
    capabilities: isMemory
      ? { durable: false, reach: 'process' }
      : { durable: true, reach: 'machine', holdsProcess: true },
    ...{ db, kysely, retrying, run },
    transaction: (work) =>
      retry(retrying, () =>
        db.transaction().execute((on) => work({ run: (text, values) => runOn(on, text, values) })),
      ),
    shrink: () => {
      // `exec` steps through the whole statement, which `run` does not.
      const exec = (text: string): Promise<void> =>
        retry(retrying, () => db.connection().execute(async () => void driver.exec(text)));
      return shrink(run, exec).catch(ignoreBusy);
    },
    ...(!isMemory && {
      changeCount: async () => Number((await run('pragma data_version', [])).rows[0]?.['data_version']),
      lockHost: async () => lockHost(libsql.default, file),
    }),
    close: () => db.destroy(),
  };
}

async function shrink(run: SqlRunner['run'], exec: (text: string) => Promise<void>): Promise<void> {
  const countFree = async (): Promise<number> =>
    Number((await run('pragma freelist_count', [])).rows[0]?.['freelist_count']);
  // Pages freed meanwhile wait for the next call.
  for (let free = await countFree(), left = 0; free > 0; free = left < free ? left : 0) {
    await exec(`pragma incremental_vacuum(${SHRINK_PAGES})`);
    left = await countFree();
    await new Promise((resolve) => setImmediate(resolve));
  }
  // A checkpoint shortens the file. PASSIVE does not wait for readers.
  await run('pragma wal_checkpoint(PASSIVE)', []);
}

/** Ignores the lock of another process. The next call tries again. */
function ignoreBusy(error: unknown): void {
  if (!(error instanceof StoreError && error.code === 'STORE_BUSY')) throw error;
}

/** Whether another process locks the file. */
function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(String(readCode(error)));
}

/** Maximum number of cached statements. */
const MAX_STATEMENTS = 200;

/** Adapts the driver to the query builder: caches statements and checks values. */
function wrapDriver(driver: Database.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  let isClosed = false;
  const iterate = (): never => {
    throw new StoreError('STORE_FAILED', 'Streaming of queries is not supported on SQLite.');
  };
  const prepare = (text: string): SqliteStatement => {
    const prepared = driver.prepare<unknown[]>(text);
    return {
      reader: prepared.reader,
      all: (values) => prepared.all(values.map(toBindable)),
      run: (values) => prepared.run(values.map(toBindable)),
      iterate,
    };
  };
  /** A prepared statement that fails keeps its read lock until it runs again, so these are not prepared. */
  const execute = (text: string): SqliteStatement => ({
    reader: false,
    all: () => [],
    run: () => {
      driver.exec(text);
      return { changes: 0, lastInsertRowid: 0 };
    },
    iterate,
  });
  const transactions: Readonly<Record<string, SqliteStatement>> = {
    // Takes the write lock at once. A read transaction that later writes would fail instead of waiting.
    begin: execute('begin immediate'),
    commit: execute('commit'),
    rollback: {
      ...execute('rollback'),
      run: () => {
        // SQLite ends the transaction itself if the disk is full. A rollback would fail and hide the cause.
        if (driver.inTransaction) driver.exec('rollback');
        return { changes: 0, lastInsertRowid: 0 };
      },
    },
  };
  return {
    prepare: (text) => {
      // libsql ends the process if a closed database is used.
      if (isClosed) throw new StoreError('STORE_FAILED', 'The store was closed.');
      const known = transactions[text] ?? statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const made = prepare(text);
      statements.set(text, made);
      return made;
    },
    close: () => {
      isClosed = true;
      // An open transaction would keep its lock, as cached statements keep the connection.
      if (driver.inTransaction) driver.exec('rollback');
      driver.close();
    },
  };
}

/** libsql ends the process on a value of an unsupported type. */
function toBindable(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw new StoreError(
    'STORE_FAILED',
    `Cannot store a value of type ${typeof value}: expected a string, finite number, bigint, boolean or null.`,
  );
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
      `Another host runs on ${file}. Only one host can use a SQLite file. Stop the other one, or use another folder (--data). Several hosts share a PostgreSQL database (--database).`,
      { cause },
    );
  }
  return () => lock.close();
}

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
    // Must precede the first table.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    database.pragma(`journal_size_limit = ${MAX_LOG_BYTES}`);
    // With the write-ahead log, neither mode loses consistency.
    database.pragma(`synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
    if (options.maxPages !== undefined) database.pragma(`max_page_count = ${Math.trunc(options.maxPages)}`);
    database.pragma('foreign_keys = ON');
    // `retry` waits instead, without blocking the event loop.
    database.pragma('busy_timeout = 0');
    return database;
  } catch (cause) {
    const message = `The database file ${options.file} cannot be opened${describeCause(cause)}.`;
    throw new StoreError('STORE_FAILED', message, { cause });
  }
}
