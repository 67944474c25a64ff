/** Clock port. All code that waits or reads the time takes a clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason if it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `delayMs`. The returned function cancels the call. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The system clock. */
export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, delayMs);
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
    }),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
/** Longest delay of a timer in milliseconds (24.8 days). Node.js fires longer timers at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Smaller numbers are seconds. As seconds this is the year 5138, as milliseconds 1973. */
const FIRST_MILLISECONDS = 1e11;

/** Converts a Unix time in seconds or, from a certain size on, milliseconds to milliseconds. */
export function unixTimeToMs(time: number): number {
  return Math.abs(time) < FIRST_MILLISECONDS ? time * 1000 : time;
}

/** Does something every so often, counted from the end of the time before. @returns what ends it */
export function repeatEvery(
  clock: Clock,
  everyMs: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): () => void {
  let isOver = false;
  let cancel: () => void = () => {};
  const later = (): void => {
    if (isOver) return;
    cancel = clock.after(everyMs, () => {
      work().catch(onError).finally(later);
    });
  };
  later();
  return () => {
    isOver = true;
    cancel();
  };
}
