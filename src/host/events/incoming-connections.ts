import { setImmediate } from 'node:timers/promises';

/** Lets synchronous transactions wait for pending socket reads. */
export interface IncomingConnections {
  /** Reports an incoming connection or call. */
  readonly note: () => void;
  /** Resolves after pending arrivals were read, within a time limit. */
  readonly settled: () => Promise<void>;
  /**
   * Like `settled`, for work on stored events. While calls keep arriving, such work gets a share of the time without
   * waiting, so that an ordered hook makes progress.
   */
  readonly shared: () => Promise<void>;
}

/** One iteration of the event loop accepts a connection, and the next reads its data. */
const QUIET_TURNS = 3;
/** More connections may always arrive. */
const MAX_MS = 25;
/** Share of the waiting time that work may use before it waits again. */
const WORK_SHARE = 0.25;

/**
 * An iteration of the event loop accepts one new connection. If each iteration ended with a synchronous commit, the
 * disk would limit the rate of new connections. Transactions therefore wait until no more arrive.
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

/** Resolves after all pending callbacks of this iteration, without another poll of sockets. */
function pendingDone(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
