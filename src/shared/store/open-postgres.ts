import { setTimeout as sleep } from 'node:timers/promises';
import type Postgres from 'pg';
import type { CustomTypesConfig, QueryResult as PgResult, Pool, PoolClient } from 'pg';
import { StoreError } from '../errors/engine-error.js';
import { loadPackages } from '../errors/load-packages.js';
import type { PostgresOptions } from './database-options.js';
import type { SqlResult, SqlRunner } from './record-store.js';
import {
  describeCause,
  hasCause,
  type Retrying,
  readCode,
  retry,
  type SqlDatabase,
  type SqlTables,
} from './sql-database.js';

const STATEMENT_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 10_000;
const WAIT_STEP_MS = 500;
/**
 * PostgreSQL ends a transaction that is idle for longer, and releases its locks. Shorter than a lease of the queue:
 * other processes that wait for the locks of a suspended process keep their leases.
 */
const IDLE_TRANSACTION_MS = 5000;
const INT8_OID = 20;

/** Maximum attempts per transaction. */
const MAX_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;

/** Serialization failure and deadlock: the transaction had no effect and can be retried. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/**
 * Errors of a prepared statement only: a table was changed, or a connection pooler changed the server process behind the
 * connection. The transaction had no effect.
 */
const STALE_STATEMENT: ReadonlySet<unknown> = new Set(['0A000', '26000', '42P05']);

const RETRYING: Retrying = {
  isRetryable: (error) => CONFLICTS.has(readCode(error)) || STALE_STATEMENT.has(readCode(error)),
  // Exponential backoff with jitter.
  pauseMs: (attempt) =>
    attempt === MAX_ATTEMPTS
      ? undefined
      : Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS),
};

/**
 * Opens a PostgreSQL database with a connection pool.
 * @throws StoreError `STORE_FAILED` if the server does not respond; EngineError `PACKAGE_MISSING`
 */
export async function openPostgres(options: PostgresOptions): Promise<SqlDatabase> {
  const { kysely, pg } = await loadPackages('A store on PostgreSQL', {
    kysely: () => import('kysely'),
    pg: () => import('pg'),
  });
  const pool = await openPool(pg.default, options);
  const names = new StatementNames();
  return {
    kind: 'postgres',
    capabilities: { durable: true, reach: 'network' },
    retrying: RETRYING,
    db: new kysely.Kysely<SqlTables>({ dialect: new kysely.PostgresDialect({ pool }) }),
    kysely,
    run: (text, values) =>
      retry(RETRYING, () => withClient(pool, names, async (send) => toResult(await send(text, values)))),
    transaction: (work, { isolation = 'serializable' } = {}) =>
      retry(RETRYING, () =>
        withClient(pool, names, (send, giveUp) =>
          transact(send, giveUp, isolation === 'serializable' ? 'serializable' : 'read committed', work),
        ),
      ),
    exclusively: (name, work) => lockExclusively(pool, name, work),
    // PostgreSQL runs autovacuum.
    shrink: async () => {},
    close: () => pool.end(),
  };
}

type Send = (text: string, values?: readonly unknown[]) => Promise<PgResult<Record<string, unknown>>>;

/** Maximum number of prepared statements per connection. */
const MAX_PREPARED = 200;

/** Names of prepared statements. The server parses a named statement once per connection. */
class StatementNames {
  readonly #names = new Map<string, string>();
  #isDisabled = false;

  /** @returns undefined for a statement that is not prepared */
  find(text: string): string | undefined {
    if (this.#isDisabled) return undefined;
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_PREPARED) return known;
    const name = `iml_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  /** Prepares no further statements. */
  disable(): void {
    this.#isDisabled = true;
  }
}

/** Message of the driver for a query timeout, which has no code. */
const LOST = 'Query read timeout';

/**
 * Runs work on a connection of the pool. Closes the connection if a response timed out, because later statements would
 * wait for that response too, or if `giveUp` was called because its state is unknown.
 */
async function withClient<R>(
  pool: Pool,
  names: StatementNames,
  work: (send: Send, giveUp: () => void) => Promise<R>,
): Promise<R> {
  const client = await pool.connect();
  let isLost = false;
  const send: Send = async (text, values = []) => {
    if (isLost) throw new Error('Connection terminated because a response timed out.');
    // A text without values may hold several statements, which cannot be prepared.
    const name = values.length === 0 ? undefined : names.find(text);
    try {
      return await client.query({ name, text, values: [...values] });
    } catch (error) {
      isLost ||= error instanceof Error && error.message === LOST;
      if (name !== undefined && STALE_STATEMENT.has(readCode(error))) {
        names.disable();
        isLost = true;
      }
      throw error;
    }
  };
  try {
    return await work(send, () => {
      isLost = true;
    });
  } finally {
    client.release(isLost);
  }
}

/** Statements after a failed one in the same transaction fail with this code. They may reach the caller first. */
const IN_FAILED_TRANSACTION = '25P02';

/**
 * Runs a transaction. The begin goes out with the first statement, which saves a round trip. A failed transaction
 * reports its first error.
 */
async function transact<R>(
  send: Send,
  giveUp: () => void,
  level: string,
  work: (on: SqlRunner) => Promise<R>,
): Promise<R> {
  let starting: Promise<unknown> | undefined = send(`start transaction isolation level ${level}`);
  // The first statement reports the error.
  starting.catch(() => {});
  let firstError: unknown;
  const run: SqlRunner['run'] = async (text, values) => {
    const sending = send(text, values);
    const before = starting;
    starting = undefined;
    try {
      const [result] = await Promise.all([sending, before]);
      return toResult(result);
    } catch (error) {
      firstError ??= error;
      throw error;
    }
  };
  try {
    const result = await work({ run });
    // The commit of a failed transaction is a rollback.
    const { command } = await send('commit');
    if (command !== 'COMMIT') throw firstError ?? new Error('Transaction rolled back.');
    return result;
  } catch (error) {
    await send('rollback').catch(giveUp);
    const isLater = hasCause(error, (it) => readCode(it) === IN_FAILED_TRANSACTION);
    throw isLater ? (firstError ?? error) : error;
  }
}

function toResult({ rows, rowCount }: PgResult<Record<string, unknown>>): SqlResult {
  return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
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
    : `The PostgreSQL server does not respond${describeCause(cause)}.`;
}
