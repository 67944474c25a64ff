/** Lets any number of callers share one piece of work while it is under way. */
export interface SingleFlight<T> {
  /**
   * Starts `work` unless work under the same key is under way, and waits for its result.
   * Aborting `signal` ends the wait of this caller with the signal's reason; the work goes on for the others.
   */
  readonly run: (key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Resolves when all work that is under way now is over, however it ends. */
  readonly settled: () => Promise<void>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const underWay = new Map<string, Promise<T>>();
  return {
    run: (key, work, signal) => {
      signal?.throwIfAborted();
      let shared = underWay.get(key);
      if (shared === undefined) {
        shared = work().finally(() => underWay.delete(key));
        // When every caller has left, nobody sees a failure; it must not count as unhandled then.
        shared.catch(() => {});
        underWay.set(key, shared);
      }
      return waitFor(shared, signal);
    },
    settled: async () => {
      await Promise.allSettled(underWay.values());
    },
  };
}

function waitFor<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
