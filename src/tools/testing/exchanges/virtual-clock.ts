import type { Clock } from '../../../shared/clock.js';

/** A clock that advances only by waits and `advance`. */
export interface VirtualClock extends Clock {
  /** Milliseconds of each `sleep`, in order. */
  readonly waits: readonly number[];
  /** Advances the time and runs timers that are due, in order. */
  advance(byMs: number): void;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * Creates a clock that only advances when something waits, so that waiting takes no time.
 *
 * @param startMs milliseconds since the epoch; default 2024-01-01T00:00:00Z
 */
export function createVirtualClock(startMs: number = Date.UTC(2024, 0, 1)): VirtualClock {
  let nowMs = startMs;
  let timers: Timer[] = [];
  const waits: number[] = [];
  const advance = (byMs: number): void => {
    const targetMs = nowMs + byMs;
    for (;;) {
      const next = timers.filter(({ dueMs }) => dueMs <= targetMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      nowMs = Math.max(nowMs, next.dueMs);
      timers = timers.filter((timer) => timer !== next);
      next.callback();
    }
    nowMs = targetMs;
  };
  return {
    waits,
    advance,
    now: () => nowMs,
    sleep: async (delayMs, signal) => {
      signal?.throwIfAborted();
      waits.push(delayMs);
      advance(delayMs);
      signal?.throwIfAborted();
    },
    after: (delayMs, callback) => {
      const timer = { dueMs: nowMs + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
}
