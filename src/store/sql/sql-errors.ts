import { EngineError, StoreError } from '../../errors/engine-error.js';

const UNIQUE_VIOLATIONS: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Gives what a driver throws our codes. Errors of ours pass through; the driver's stays as cause. */
export async function translateErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throwTranslated(error);
  }
}

/** Throws what a driver has thrown under our codes. */
export function throwTranslated(error: unknown): never {
  throw error instanceof EngineError ? error : toStoreError(error);
}

function toStoreError(cause: unknown): StoreError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (UNIQUE_VIOLATIONS.has(code)) {
    return new StoreError('STORE_CONFLICT', 'A unique value is already taken.', { cause });
  }
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
    return new StoreError('STORE_BUSY', 'Another process holds the database file.', { cause });
  }
  if (FULL.has(code)) {
    return new StoreError('STORE_FULL', 'There is no room left where the database is kept.', { cause });
  }
  if (isUnavailable(code, cause)) {
    return new StoreError('STORE_UNAVAILABLE', 'The database does not answer at the moment.', { cause });
  }
  return new StoreError('STORE_FAILED', 'The database refused a statement.', { cause });
}

/** No room on the disk or in the quota of the file; PostgreSQL says the same as `disk_full`. */
const FULL: ReadonlySet<unknown> = new Set(['SQLITE_FULL', '53100', 'ENOSPC']);

/** The server is stopping, starting, has no connection left or has ended an idle one; or there is no way to it. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...['57014', '57P01', '57P02', '57P03', '53300', '25006', '25P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** The driver has no codes for connections that end under it, only these sentences. */
const ENDED =
  /^(Query read timeout$|Connection terminated|Connection ended|database .* is not currently accepting connections|Client has encountered a connection error|timeout exceeded when trying to connect)/;

function isUnavailable(code: unknown, cause: unknown): boolean {
  // Class 08 of SQLSTATE: connection exceptions.
  if (UNAVAILABLE.has(code) || (typeof code === 'string' && /^08...$/.test(code))) return true;
  return cause instanceof Error && ENDED.test(cause.message);
}
