import { nextTurn } from './next-turn.js';

/** What comes in from outside, for those who are about to hold up the process. */
export interface Arrivals {
  /** Says that something has come. */
  readonly note: () => void;
  /** Resolves once what waits outside is in, as far as that is soon. */
  readonly settled: () => Promise<void>;
}

/** A connection is taken in one turn of the event loop, and what it brings is read in the next. */
const QUIET_TURNS = 3;
/** More may always come. */
const MAX_MS = 25;

/**
 * A turn of the event loop takes one new connection. Where each turn ends with a transaction that holds up the process
 * until it is on the disk, no more are taken than the disk has commits: so the loop turns until nothing more comes.
 */
export function createArrivals(nowMs: () => number = () => performance.now()): Arrivals {
  let count = 0;
  return {
    note: () => {
      count++;
    },
    settled: async () => {
      const endMs = nowMs() + MAX_MS;
      for (let quiet = 0; quiet < QUIET_TURNS && nowMs() < endMs; ) {
        const before = count;
        await nextTurn();
        quiet = count === before ? quiet + 1 : 0;
      }
    },
  };
}
