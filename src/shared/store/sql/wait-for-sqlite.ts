import { readErrno } from '../../read-regular-file.js';

/** Retry interval while another process locks the file. */
const STEP_MS = 1;

/** Whether another process currently locks the file. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(readErrno(error));
}

/**
 * Runs work as soon as no other process locks the SQLite file. The wait of SQLite itself blocks the event loop in
 * steps that grow to 100 ms, and callers that retry more often overtake it.
 *
 * @throws the SQLite error if the file is still locked after `waitMs`
 */
export async function whenUnlocked<R>(work: () => R, waitMs: number): Promise<R> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= endMs) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, STEP_MS);
    });
  }
}
