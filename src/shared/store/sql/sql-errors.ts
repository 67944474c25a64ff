import { EngineError, StoreError } from '../../errors/engine-error.js';

const UNIQUE_VIOLATIONS: ReadonlySet<unknown> = new Set([
  '23505',
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
]);

/** Translates driver errors to codes of this package. The driver error stays as cause. */
export async function translateErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throwTranslated(error);
  }
}

/** Throws the translated driver error. */
export function throwTranslated(error: unknown): never {
  throw error instanceof EngineError ? error : toStoreError(error);
}

function toStoreError(cause: unknown): StoreError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (UNIQUE_VIOLATIONS.has(code)) {
    return new StoreError('STORE_CONFLICT', 'A unique value is already taken.', { cause });
  }
  if (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) {
    return new StoreError('STORE_BUSY', 'Another process locks the database file.', { cause });
  }
  if (FULL.has(code)) {
    return new StoreError('STORE_FULL', 'No space left for the database.', { cause });
  }
  if (isUnavailable(code, cause)) {
    return new StoreError('STORE_UNAVAILABLE', 'The database is unavailable.', { cause });
  }
  return new StoreError('STORE_FAILED', 'The database rejected a statement.', { cause });
}

/** No space on the disk or above the maximum file size. PostgreSQL: `disk_full`. */
const FULL: ReadonlySet<unknown> = new Set(['SQLITE_FULL', '53100', 'ENOSPC']);

/** The server is stopping, starting, unreachable, out of connections, or has closed an idle connection. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...['57014', '57P01', '57P02', '57P03', '53300', '25006', '25P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** The driver has no codes for closed connections, only these messages. */
const ENDED =
  /^(Query read timeout$|Connection terminated|Connection ended|database .* is not currently accepting connections|Client has encountered a connection error|timeout exceeded when trying to connect)/;

function isUnavailable(code: unknown, cause: unknown): boolean {
  // Class 08 of SQLSTATE: connection exceptions.
  if (UNAVAILABLE.has(code) || (typeof code === 'string' && /^08...$/.test(code))) return true;
  return cause instanceof Error && ENDED.test(cause.message);
}
