/** The port to time. Everything that waits or asks for the hour takes one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason if it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once, when `delayMs` have passed, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Real time. */
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

/** Milliseconds a timer can be set for, some 24.8 days; what is set for longer goes off at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** As seconds, this lies in the year 5138; as milliseconds, in 1973. */
const FIRST_MILLISECONDS = 1e11;

/** Milliseconds since the epoch of a Unix time that is told in seconds or, being large enough, in milliseconds. */
export function unixTimeToMs(time: number): number {
  return Math.abs(time) < FIRST_MILLISECONDS ? time * 1000 : time;
}
