import { setTimeout as sleep } from 'node:timers/promises';
import type Postgres from 'pg';
import type { CustomTypesConfig, Pool, PoolClient } from 'pg';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_TEXT,
  type OptionShapes,
  SIGNAL,
  wholeNumber,
} from '../../errors/check-options.js';
import { StoreError } from '../../errors/engine-error.js';
import { loadPackages } from '../../errors/load-packages.js';
import type { SqlDatabase } from '../sql-database.js';
import type { SqlTables } from '../sql-tables.js';
import { createPostgresClients } from './postgres-clients.js';
import { retryTransaction, runRenamed } from './repeat-postgres.js';
import { createStatementNames } from './statement-names.js';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` with further settings in the query. */
  readonly url: string;
  /** Maximum number of connections. Default 10. */
  readonly maxConnections?: number | undefined;
  /**
   * Idle timeout of a transaction on the server. Default 10000. Without it, a suspended or disconnected process would
   * hold its locks forever.
   */
  readonly idleTransactionMs?: number | undefined;
  /** Statement timeout, after which the connection is closed because the response may be lost. Default 20000. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Whether to use named prepared statements. A pooler must support them or assign connections to one client.
   * Default: false.
   */
  readonly named?: boolean | undefined;
  /** Application name of the connections. Default `iml-runtime`. */
  readonly applicationName?: string | undefined;
  /** How long to wait for a server that does not respond yet. Default 0. */
  readonly waitMs?: number | undefined;
  /** Called once when the wait starts. */
  readonly onWait?: (() => void) | undefined;
  /** Aborts the wait. Opening rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Shapes of the options. */
export const POSTGRES_SHAPES: OptionShapes<PostgresOptions> = {
  url: ANY_TEXT,
  maxConnections: wholeNumber(1),
  idleTransactionMs: wholeNumber(0),
  statementTimeoutMs: wholeNumber(0),
  named: ANY_BOOLEAN,
  applicationName: ANY_TEXT,
  waitMs: wholeNumber(0),
  onWait: ANY_FUNCTION,
  signal: SIGNAL,
};

const STATEMENT_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_STEP_MS = 500;

const IDLE_TRANSACTION_MS = 10_000;

const INT8_OID = 20;

/**
 * Opens a PostgreSQL database with a connection pool.
 * @throws StoreError `STORE_FAILED` if the server does not respond; EngineError `PACKAGE_MISSING`
 */
export async function openPostgres(options: PostgresOptions): Promise<SqlDatabase> {
  const { kysely, pg } = await loadPackages('A store on PostgreSQL', {
    kysely: () => import('kysely'),
    pg: () => import('pg'),
  });
  const { Kysely, PostgresDialect } = kysely;
  const names = options.named === true ? createStatementNames() : undefined;
  const pool = await openPool(pg.default, options);
  const clients = createPostgresClients(pg.default, pool, names);
  const db = new Kysely<SqlTables>({ dialect: new PostgresDialect({ pool }) });
  return {
    kind: 'postgres',
    db,
    run: (text, values) => runRenamed(() => clients.query(text, values)),
    runAlone: (text, values) => retryTransaction(() => clients.queryAlone(text, values)),
    transaction: (work, { isolation = 'serializable' } = {}) => {
      const level = isolation === 'serializable' ? 'serializable' : 'read committed';
      return retryTransaction(() => clients.transaction(level, work));
    },
    exclusively: (name, work) => lockExclusively(pool, name, work),
    // PostgreSQL runs autovacuum.
    shrink: async () => {},
    close: () => db.destroy(),
  };
}

const LOCK_STEP_MS = 100;
const LOCK_WAIT_MS = 60_000;

/** Uses a session advisory lock, which the server releases with the connection. */
async function lockExclusively<R>(pool: Pool, name: string, work: () => Promise<R>): Promise<R> {
  const client = await pool.connect();
  let isLocked = false;
  try {
    for (const endMs = performance.now() + LOCK_WAIT_MS; !isLocked; ) {
      const text = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked';
      const { rows } = await client.query<{ locked: boolean }>(text, [name]);
      isLocked = rows[0]?.locked === true;
      if (isLocked) break;
      if (performance.now() > endMs) {
        throw new StoreError('STORE_BUSY', `Another process has held the lock "${name}" for a minute.`);
      }
      await sleep(LOCK_STEP_MS);
    }
    return await work();
  } finally {
    // Closing the connection releases a lock that could not be unlocked.
    const released = isLocked && (await unlock(client, name).catch(() => false));
    client.release(isLocked && !released);
  }
}

async function unlock(client: PoolClient, name: string): Promise<boolean> {
  await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]);
  return true;
}

async function openPool(pg: typeof Postgres, options: PostgresOptions): Promise<Pool> {
  const types: CustomTypesConfig = {
    // All int8 values of the store are safe integers: ids, milliseconds and counts.
    getTypeParser: (oid, format) =>
      Number(oid) === INT8_OID ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
  };
  const timeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    types,
    keepAlive: true,
    // Sends independent statements together.
    pipeline: true,
    application_name: options.applicationName ?? 'iml-runtime',
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? IDLE_TRANSACTION_MS,
  });
  // The pool replaces a broken connection, and the next statement of its user fails. Without listeners, the error
  // event would end the process. The pool listens to idle connections only.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await connectFirst(pool, options);
  } catch (cause) {
    await pool.end();
    options.signal?.throwIfAborted();
    throw new StoreError('STORE_FAILED', describeRefusal(cause), { cause });
  }
  return pool;
}

/** Retries while the server may still be starting. Does not retry permanent refusals. */
async function connectFirst(pool: Pool, { waitMs = 0, onWait, signal }: PostgresOptions): Promise<void> {
  const endMs = performance.now() + waitMs;
  let isWaiting = false;
  for (;;) {
    try {
      (await pool.connect()).release();
      return;
    } catch (error) {
      if (isRefusal(error) || performance.now() >= endMs) throw error;
      if (!isWaiting) onWait?.();
      isWaiting = true;
    }
    await sleep(WAIT_STEP_MS, undefined, { signal });
  }
}

/** SQLSTATE classes of permanent errors: wrong password or user, unknown database. */
const REFUSALS = /^(28|3D)/;

/**
 * PgBouncer accepts these startup settings only if `ignore_startup_parameters` lists them. It uses one code for all
 * refusals.
 */
const UNSUPPORTED = /^unsupported startup parameter/;

function isRefusal(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false;
  return REFUSALS.test(String(error.code)) || UNSUPPORTED.test(error.message);
}

function describeRefusal(cause: unknown): string {
  return isRefusal(cause)
    ? `The PostgreSQL server refuses the connection: ${cause.message}.`
    : 'The PostgreSQL server does not respond.';
}
