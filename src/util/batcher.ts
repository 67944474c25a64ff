export interface BatcherOptions {
  /** Items of one call at most. */
  readonly maxItems: number;
  /** Whether a failure may be one item's alone, so that each is tried by itself. Default: never. */
  readonly isOfOne?: ((error: unknown) => boolean) | undefined;
  /**
   * Waits before each call for what belongs to it. Default: for the end of the present turn of the microtask queue, which
   * is enough where `work` takes time by itself. Where it does all in one go, nothing else could come in meanwhile.
   */
  readonly gather?: (() => Promise<void>) | undefined;
}

interface Waiting<I, O> {
  readonly item: I;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers what comes in while `work` is busy, and hands it over together: one call at a time, in the order of arrival.
 *
 * @param work gives a result for each item, in their order
 */
export function createBatcher<I, O>(
  work: (items: readonly I[]) => Promise<readonly O[]>,
  { maxItems, isOfOne = () => false, gather = async () => {} }: BatcherOptions,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
  let isBusy = false;

  async function flush(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      await gather();
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      await run(batch);
    }
    isBusy = false;
  }

  async function run(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      // `work` gives as many results as it gets items.
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
