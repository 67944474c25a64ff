import { EngineError } from '../../errors/engine-error.js';
import type { HostContext } from '../ports/context.js';
import type { HostWriter } from '../store/tables.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** What the same transaction may not meet a moment later. */
const PASSING: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL', 'STORE_BUSY']);

/** Whether a store may take later what it does not take now. */
export function isPassing(error: unknown): boolean {
  return error instanceof EngineError && PASSING.has(error.code);
}

/**
 * Runs a transaction until the store takes it: what a flow has done must not be forgotten because the database
 * restarts or a disk is full. Ends with the reason of the signal if that is aborted before.
 *
 * @throws whatever no repeat can help
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
