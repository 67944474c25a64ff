/** Shares concurrent work between callers (single flight). */
export interface SingleFlight<T> {
  /**
   * Starts `work` unless work with the same key is running, and waits for its result. If `signal` aborts, this caller
   * rejects with the signal's reason; the work continues for the others.
   */
  readonly run: (key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Resolves when all running work has settled. */
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
        // Prevents an unhandled rejection if every caller has left.
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
