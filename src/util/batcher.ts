export interface BatcherOptions<I> {
  /** Items of one call at most. */
  readonly maxItems: number;
  /** What the items of one call may weigh together; one that weighs more goes by itself. Default: nothing weighs anything. */
  readonly weight?: { readonly of: (item: I) => number; readonly most: number } | undefined;
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
