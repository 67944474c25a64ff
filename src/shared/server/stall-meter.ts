/** Measures how long the process could not read its sockets recently. */
export interface StallMeter {
  /** An integer, as the Node.js timeouts require. */
  readonly stalledMs: () => number;
  readonly stop: () => void;
}

/** Interval of the measurement. */
const BEAT_MS = 100;
/** Shorter delays are normal event-loop latency. */
const LEAST_MS = 100;

/**
 * Sums the time in which the process was suspended or its event loop was blocked.
 *
 * @param withinMs stalls that ended longer ago do not count
 */
export function createStallMeter(
  withinMs: number,
  nowMs: () => number = () => performance.now(),
): StallMeter {
  let seenMs = nowMs();
  let stalls: { readonly endMs: number; readonly ms: number }[] = [];
  const measure = (): void => {
    const endMs = nowMs();
    const ms = endMs - seenMs - BEAT_MS;
    seenMs = endMs;
    if (ms >= LEAST_MS) stalls.push({ endMs, ms: ms + BEAT_MS });
    else if (stalls.length === 0) return;
    stalls = stalls.filter((stall) => endMs - stall.endMs <= withinMs);
  };
  const timer = setInterval(measure, BEAT_MS);
  timer.unref();
  return {
    stalledMs: () => {
      // The caller may run before the timer after a stall.
      measure();
      return Math.ceil(stalls.reduce((sum, { ms }) => sum + ms, 0));
    },
    stop: () => clearInterval(timer),
  };
}
