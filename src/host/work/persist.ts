import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostContext } from '../context.js';
import type { HostWriter } from '../store/tables.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** Errors that a retry of the same transaction may avoid. */
const PASSING: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL', 'STORE_BUSY']);

/** Whether a store may accept a transaction later. */
export function isPassing(error: unknown): boolean {
  return error instanceof EngineError && PASSING.has(error.code);
}

/**
 * Runs a transaction until the store accepts it, because results of a flow must not be lost while the database
 * restarts or the disk is full. Rejects with the abort reason if the signal aborts.
 *
 * @throws any error that a retry cannot avoid
 */
export async function persist<R>(
  { store, clock, onError }: HostContext,
  signal: AbortSignal,
  work: (writer: HostWriter) => Promise<R>,
): Promise<R> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await store.transaction(work, { isolation: 'read-committed' });
    } catch (error) {
      if (!isPassing(error)) throw error;
      onError(error);
    }
    await clock.sleep(delayMs, signal);
  }
}
