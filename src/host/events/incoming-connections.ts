import { setImmediate } from 'node:timers/promises';

/** What comes in from outside, for those who are about to hold up the process. */
export interface IncomingConnections {
  /** Says that something has come. */
  readonly note: () => void;
  /** Resolves once what waits outside is in, as far as that is soon. */
  readonly settled: () => Promise<void>;
  /**
   * The same for those who work off what came in. While more and more comes they have a part of the time that was waited
   * for that, in which they need not wait again: else an ordered hook would get through one event for each wait.
   */
  readonly shared: () => Promise<void>;
}

/** A connection is taken in one turn of the event loop, and what it brings is read in the next. */
const QUIET_TURNS = 3;
/** More may always come. */
const MAX_MS = 25;
/** What of the time that arrivals were waited for may pass with work before they are waited for again. */
const WORK_SHARE = 0.25;

/**
 * A turn of the event loop takes one new connection. Where each turn ends with a transaction that holds up the process
 * until it is on the disk, no more are taken than the disk has commits: so the loop turns until nothing more comes.
 */
export function createIncomingConnections(
  nowMs: () => number = () => performance.now(),
): IncomingConnections {
  let count = 0;
  let shareEndMs = Number.NEGATIVE_INFINITY;
  const settled = async (): Promise<void> => {
    const endMs = nowMs() + MAX_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && nowMs() < endMs; ) {
      const before = count;
      await setImmediate();
      quiet = count === before ? quiet + 1 : 0;
    }
  };
  return {
    note: () => {
      count++;
    },
    settled,
    shared: async () => {
      const startMs = nowMs();
      if (startMs < shareEndMs) return pendingDone();
      await settled();
      shareEndMs = nowMs() + (nowMs() - startMs) * WORK_SHARE;
    },
  };
}

/** Until all that was about to happen in this turn of the event loop has; sockets are not read meanwhile. */
function pendingDone(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
