import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { CustomTypesConfig, Pool } from 'pg';
import { StoreError } from '../../errors/store-error.js';
import type { TransactionOptions } from '../record-store.js';
import type { SqlDatabase, SqlTables } from '../sql-database.js';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, further settings as query. */
  readonly url: string;
  /** Connections held open at most. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * How long the server waits for the next statement of a transaction before it ends the connection. Default 10000.
   * A process that is stopped or cut off would hold its locks for ever otherwise.
   */
  readonly idleTransactionMs?: number | undefined;
}

const IDLE_TRANSACTION_MS = 10_000;

const MAX_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;
/** Serialization failure, deadlock: the transaction did nothing and may be tried again. */
const RETRYABLE: ReadonlySet<unknown> = new Set(['40001', '40P01']);
const INT8_OID = 20;

/**
 * Opens a PostgreSQL database through a pool.
 * @throws StoreError `STORE_FAILED` when the driver is not installed or the server does not answer
 */
export async function openPostgres(options: PostgresOptions): Promise<SqlDatabase> {
  const [{ Kysely, PostgresDialect }, pool] = await Promise.all([import('kysely'), openPool(options)]);
  const db = new Kysely<SqlTables>({ dialect: new PostgresDialect({ pool }) });
  return {
    kind: 'postgres',
    db,
    transaction: (work, transaction) => runTransaction(db, work, transaction?.isolation),
    close: () => db.destroy(),
  };
}

async function openPool(options: PostgresOptions): Promise<Pool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new StoreError('STORE_FAILED', 'PostgreSQL needs the package "pg" to be installed.', { cause });
  });
  const types: CustomTypesConfig = {
    // Every number kept as int8 is a safe integer: ids, milliseconds and counts.
    getTypeParser: (oid, format) =>
      Number(oid) === INT8_OID ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
  };
  const pool = new pg.Pool({
    ...{ connectionString: options.url, max: options.maxConnections ?? 10, types },
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? IDLE_TRANSACTION_MS,
  });
  // A connection that breaks is replaced by the pool, and what uses it is told by its next statement. Without
  // listeners it would end the process: the pool listens to those that are idle, nobody to those of open transactions.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    (await pool.connect()).release();
  } catch (cause) {
    await pool.end();
    throw new StoreError('STORE_FAILED', 'The PostgreSQL server does not answer.', { cause });
  }
  return pool;
}

async function runTransaction<R>(
  db: Kysely<SqlTables>,
  work: (db: Kysely<SqlTables>) => Promise<R>,
  isolation: TransactionOptions['isolation'] = 'serializable',
): Promise<R> {
  const level = isolation === 'serializable' ? 'serializable' : 'read committed';
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel(level).execute(work);
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === MAX_ATTEMPTS) {
        throw new StoreError('STORE_BUSY', `Gave up after ${MAX_ATTEMPTS} attempts.`, { cause: error });
      }
      await sleep(pauseMs(attempt));
    }
  }
}

/** Random, so that nodes that met once do not meet again; longer each time, up to a ceiling. */
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
}

/** The failure may stand behind an error of ours that was made while the transaction ran. */
function isRetryable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && RETRYABLE.has(error.code)) return true;
  return 'cause' in error && isRetryable(error.cause);
}
