/** How long this process did not get to read its sockets lately. */
export interface StallMeter {
  /** A whole number, as the server counts in. */
  readonly stalledMs: () => number;
  readonly stop: () => void;
}

/** How often is looked whether time has passed unseen. */
const BEAT_MS = 100;
/** A turn of the event loop may take a while. */
const LEAST_MS = 100;

/**
 * Adds up the time in which the process was held up: stopped, asleep, or busy with something that did not let the event
 * loop turn. What a sender had sent by then lies unread, and is not late for it.
 *
 * @param withinMs stalls that ended longer ago do not count
 */
export function createStallMeter(
  withinMs: number,
  nowMs: () => number = () => performance.now(),
): StallMeter {
  let seenMs = nowMs();
  let stalls: { readonly endMs: number; readonly ms: number }[] = [];
  const look = (): void => {
    const endMs = nowMs();
    const ms = endMs - seenMs - BEAT_MS;
    seenMs = endMs;
    if (ms >= LEAST_MS) stalls.push({ endMs, ms: ms + BEAT_MS });
    else if (stalls.length === 0) return;
    stalls = stalls.filter((stall) => endMs - stall.endMs <= withinMs);
  };
  const timer = setInterval(look, BEAT_MS);
  timer.unref();
  return {
    stalledMs: () => {
      // Asked before the timer had its turn, right behind a stall.
      look();
      return Math.ceil(stalls.reduce((sum, { ms }) => sum + ms, 0));
    },
    stop: () => clearInterval(timer),
  };
}
