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

/** Waits for a promise until the signal aborts: then it rejects with the reason, and the work goes on. */
export function waitFor<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return shared;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
export interface BatcherOptions<I> {
  /** Largest number of items per call. */
  readonly maxItems: number;
  /** Limit of the total weight per call. A heavier item gets its own call. Default: no limit. */
  readonly weight?: { readonly of: (item: I) => number; readonly most: number } | undefined;
  /** Whether a failure may affect a single item, so that each item is retried alone. Default: never. */
  readonly isOfOne?: ((error: unknown) => boolean) | undefined;
  /**
   * Delays each call to collect more items. Default: until the current microtasks are done, which suffices if `work`
   * is asynchronous.
   */
  readonly gather?: (() => Promise<void>) | undefined;
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items while `work` is busy and passes them on together: one call at a time, in order of arrival.
 *
 * @param work returns one result per item, in order
 */
export function createBatcher<I, O>(
  work: (items: readonly I[]) => Promise<readonly O[]>,
  { maxItems, weight, isOfOne = () => false, gather = async () => {} }: BatcherOptions<I>,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
  let isBusy = false;

  async function flush(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      await gather();
      const count = countTogether();
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      await run(batch);
    }
    isBusy = false;
  }

  function countTogether(): number {
    if (weight === undefined) return maxItems;
    let sum = 0;
    const over = waiting.slice(0, maxItems).findIndex(({ item }) => {
      sum += weight.of(item);
      return sum > weight.most;
    });
    return over < 0 ? maxItems : Math.max(1, over);
  }

  async function run(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      // `work` returns one result per item.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as O);
    } catch (error) {
      if (batch.length > 1 && isOfOne(error)) for (const one of batch) await run([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isBusy) void flush();
    });
}
/** Called once when the signal aborts. */
export interface AbortListener {
  onAbort(): void;
}

const LISTENERS = new WeakMap<AbortSignal, Set<AbortListener>>();

/**
 * Adds an abort listener. All listeners of a signal share one DOM listener and are objects instead of closures: a
 * closure per request would keep response data alive and promote it to the old generation of the garbage collector.
 */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const known = LISTENERS.get(signal);
  if (known !== undefined) {
    known.add(listener);
    return;
  }
  const listeners = new Set([listener]);
  LISTENERS.set(signal, listeners);
  signal.addEventListener('abort', () => notifyAll(listeners), { once: true });
}

export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  LISTENERS.get(signal)?.delete(listener);
}

function notifyAll(listeners: ReadonlySet<AbortListener>): void {
  for (const listener of listeners) listener.onAbort();
}
