import { readErrno } from '../../util/files/read-regular-file.js';

/** How long is waited before another process is asked again whether it is through. */
const STEP_MS = 1;

/** Whether another process holds the file at the moment. */
export function isHeld(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(readErrno(error));
}

/**
 * Does something with a SQLite file as soon as no other process holds it.
 *
 * SQLite would wait itself, in steps that grow to 100 ms, in which this process does nothing else, and takes no turn
 * where others ask more often.
 *
 * @throws what SQLite says of a file that is held, if it still is after `waitMs`
 */
export async function whenFree<R>(work: () => R, waitMs: number): Promise<R> {
  const endMs = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isHeld(error) || performance.now() >= endMs) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, STEP_MS);
    });
  }
}
