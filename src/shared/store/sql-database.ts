import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { EngineError, StoreError } from '../errors/engine-error.js';
import type { RecordStore, SqlRunner, TransactionOptions } from './record-store.js';

/** Tables by name. The table definitions, not the query builder, know the types of rows. */
export type SqlTables = Record<string, Record<string, unknown>>;

/** An open SQL database and its differences between SQLite and PostgreSQL. */
export interface SqlDatabase
  extends SqlRunner,
    Pick<
      RecordStore<never>,
      'capabilities' | 'shrink' | 'changeCount' | 'lockHost' | 'exclusively' | 'close'
    > {
  readonly kind: 'sqlite' | 'postgres';
  readonly retrying: Retrying;
  /** The query builder. Migrations run statements with it; stores only build them. */
  readonly db: Kysely<SqlTables>;
  readonly kysely: typeof import('kysely');
  /** Runs `work` as a transaction and retries it after conflicts. @throws StoreError `STORE_BUSY` */
  transaction<R>(work: (on: SqlRunner) => Promise<R>, options?: TransactionOptions): Promise<R>;
}

/** How often a failed statement or transaction without effect is retried. */
export interface Retrying {
  /** Whether the error of a driver means that another attempt may succeed. */
  readonly isRetryable: (error: object) => boolean;
  /** Pause before the next attempt; undefined after the last one. */
  readonly pauseMs: (attempt: number, startedAtMs: number) => number | undefined;
}

/** Retries work after conflicts with other writers, and translates errors of drivers. @throws StoreError */
export async function retry<R>({ isRetryable, pauseMs }: Retrying, work: () => Promise<R>): Promise<R> {
  const startedAtMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      // Another store gave up.
      const isFinal = error instanceof StoreError && error.code === 'STORE_BUSY';
      if (isFinal || !hasCause(error, isRetryable)) throwTranslated(error);
      const ms = pauseMs(attempt, startedAtMs);
      if (ms === undefined) {
        throw new StoreError('STORE_BUSY', 'Other writers keep the database busy. Retry later.', {
          cause: error,
        });
      }
      await sleep(ms);
    }
  }
}

/** Whether an error or one of its causes matches. The database error may be the cause of one of `work`. */
export function hasCause(error: unknown, matches: (error: object) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return matches(error) || ('cause' in error && hasCause(error.cause, matches));
}

/** Translates errors of drivers to codes of this package. The original error stays as cause. */
export async function translateErrors<R>(work: () => Promise<R>): Promise<R> {
  return work().catch(throwTranslated);
}

export function throwTranslated(error: unknown): never {
  throw error instanceof EngineError ? error : toStoreError(error);
}

const UNIQUE_VIOLATIONS: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Translates an error that a database raised. Other errors stay as they are. */
export function explainDriverError(error: unknown): unknown {
  if (error instanceof EngineError) return error;
  const code = readCode(error);
  if (DEADLOCKS.has(code)) {
    return new StoreError('STORE_BUSY', `Writers waited for each other${describeCause(error)}.`, {
      cause: error,
    });
  }
  const isOfDriver = isUnavailable(code, error) || DRIVER_CODE.test(String(code));
  return isOfDriver ? toStoreError(error) : error;
}

/** A code of SQLite, or an SQLSTATE, which has digits, unlike `EPERM`. */
const DRIVER_CODE = /^(?:SQLITE_\w+|(?=.*\d)[0-9A-Z]{5})$/;

function toStoreError(cause: unknown): StoreError {
  const code = readCode(cause);
  const reason = describeCause(cause);
  if (UNIQUE_VIOLATIONS.has(code)) {
    return new StoreError('STORE_CONFLICT', 'A unique value is already taken.', { cause });
  }
  if (FULL.has(code)) return new StoreError('STORE_FULL', 'No space left for the database.', { cause });
  if (isUnavailable(code, cause)) {
    // These messages contain no values.
    const why = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : reason;
    return new StoreError('STORE_UNAVAILABLE', `The database is unavailable${why}.`, { cause });
  }
  const what = CORRUPT.has(code) ? 'is corrupt' : 'rejected a statement';
  return new StoreError('STORE_FAILED', `The database ${what}${reason}.`, { cause });
}

/** The code of an error in parentheses. Its message may contain stored values. */
export function describeCause(cause: unknown): string {
  const code = readCode(cause);
  return typeof code === 'string' ? ` (${code})` : '';
}

export function readCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** No space on the disk or above the maximum file size. PostgreSQL: `disk_full`. */
const FULL: ReadonlySet<unknown> = new Set(['SQLITE_FULL', '53100', 'ENOSPC']);

/** Deadlock and serialization failure. */
const DEADLOCKS: ReadonlySet<unknown> = new Set(['40P01', '40001']);

/** The file is damaged or no database. PostgreSQL: `data_corrupted`, `index_corrupted`. */
const CORRUPT: ReadonlySet<unknown> = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'XX001', 'XX002']);

/** The server is stopping, starting, unreachable, out of connections, or has closed an idle connection. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...['57014', '57P01', '57P02', '57P03', '53300', '25006', '25P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** The driver has no codes for closed connections, only these messages. */
const ENDED =
  /^(Query read timeout$|Connection terminated|Connection ended|database .* is not currently accepting connections|Client has encountered a connection error|timeout exceeded when trying to connect|LISTEN\/NOTIFY heartbeat timed out)/;

function isUnavailable(code: unknown, cause: unknown): boolean {
  // Class 08 of SQLSTATE: connection exceptions.
  if (UNAVAILABLE.has(code) || (typeof code === 'string' && /^08...$/.test(code))) return true;
  return cause instanceof Error && ENDED.test(cause.message);
}
