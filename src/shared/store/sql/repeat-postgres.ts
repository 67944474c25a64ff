import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors/engine-error.js';
import { isStale } from './statement-names.js';

/** Maximum attempts per transaction. */
const MAX_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;

/** Serialization failure and deadlock: the transaction had no effect and can be retried. */
const RETRYABLE: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Runs a statement outside a transaction. Retries it without its name if the prepared statement is stale. */
export async function runRenamed<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!isStale(error)) throw error;
    return work();
  }
}

/** Runs a transaction and retries it after conflicts. @throws StoreError `STORE_BUSY` */
export async function retryTransaction<R>(work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt === MAX_ATTEMPTS) {
        throw new StoreError(
          'STORE_BUSY',
          `The transaction conflicted with others in ${MAX_ATTEMPTS} attempts. Retry later.`,
          { cause: error },
        );
      }
      await sleep(pauseMs(attempt));
    }
  }
}

/** Exponential backoff with jitter, up to a maximum. */
function pauseMs(attempt: number): number {
  return Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
}

/** The database error may be the cause of an error that was thrown in the transaction. */
function isRetryable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (('code' in error && RETRYABLE.has(error.code)) || isStale(error)) return true;
  return 'cause' in error && isRetryable(error.cause);
}
