import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors/engine-error.js';
import { isStale } from './statement-names.js';

/** How often a transaction is begun before its caller is told that the store is busy. */
const MAX_ATTEMPTS = 20;
const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;

/** Serialization failure, deadlock: the transaction did nothing and may be tried again. */
const RETRYABLE: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** A statement outside of a transaction, which only its name may have stood against. */
export async function runRenamed<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!isStale(error)) throw error;
    return work();
  }
}

/** A transaction, begun again when others interfere. @throws StoreError `STORE_BUSY` */
export async function runAgain<R>(work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
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
  if (('code' in error && RETRYABLE.has(error.code)) || isStale(error)) return true;
  return 'cause' in error && isRetryable(error.cause);
}
