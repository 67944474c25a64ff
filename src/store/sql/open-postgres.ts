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
import { runAgain, runRenamed } from './repeat-postgres.js';
import { createStatementNames } from './statement-names.js';

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
  /**
   * How long a statement is waited for; then its connection is given up, as an answer may be lost without a word.
   * Default 20000.
   */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Whether statements that come again and again are kept prepared on each connection. A pooler between has to know of such
   * statements, or to give a connection to one client. Default: no.
   */
  readonly named?: boolean | undefined;
  /** How the server's own lists name these connections. Default `iml-runtime`. */
  readonly applicationName?: string | undefined;
  /** How long a server that does not answer yet is waited for. Default 0. */
  readonly waitMs?: number | undefined;
  /** Called once when the wait begins. */
  readonly onWait?: (() => void) | undefined;
  /** Ends the wait; opening rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What its options may be. */
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
 * Opens a PostgreSQL database through a pool.
 * @throws StoreError `STORE_FAILED` when the server does not answer; EngineError `PACKAGE_MISSING`
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
    runAlone: (text, values) => runAgain(() => clients.queryAlone(text, values)),
    transaction: (work, { isolation = 'serializable' } = {}) => {
      const level = isolation === 'serializable' ? 'serializable' : 'read committed';
      return runAgain(() => clients.transaction(level, work));
    },
    exclusively: (name, work) => lockExclusively(pool, name, work),
    // The server does so by itself.
    shrink: async () => {},
    close: () => db.destroy(),
  };
}

const LOCK_STEP_MS = 100;
const LOCK_WAIT_MS = 60_000;

/** An advisory lock of the session: the server releases it with the connection. */
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
    // A connection whose lock cannot be released is closed, which releases it.
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
    // Every number kept as int8 is a safe integer: ids, milliseconds and counts.
    getTypeParser: (oid, format) =>
      Number(oid) === INT8_OID ? Number : pg.types.getTypeParser(oid, format ?? 'text'),
  };
  const timeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 10,
    types,
    keepAlive: true,
    // Statements that do not wait for each other go out together.
    pipeline: true,
    application_name: options.applicationName ?? 'iml-runtime',
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: options.idleTransactionMs ?? IDLE_TRANSACTION_MS,
  });
  // A connection that breaks is replaced by the pool, and what uses it is told by its next statement. Without
  // listeners it would end the process: the pool listens to those that are idle, nobody to those of open transactions.
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

/** The server may be starting beside this process. What it refuses for good is not asked again. */
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

/** Classes of SQLSTATE for what no waiting helps: wrong password or user, no such database. */
const REFUSALS = /^(28|3D)/;

/** PgBouncer takes these settings of a connection only where `ignore_startup_parameters` names them, and has one code for all it refuses. */
const UNSUPPORTED = /^unsupported startup parameter/;

function isRefusal(error: unknown): error is Error & { code: string } {
  if (!(error instanceof Error && 'code' in error)) return false;
  return REFUSALS.test(String(error.code)) || UNSUPPORTED.test(error.message);
}

function describeRefusal(cause: unknown): string {
  return isRefusal(cause)
    ? `The PostgreSQL server refuses the connection: ${cause.message}.`
    : 'The PostgreSQL server does not answer.';
}
