/**
 * Works on items several at a time and gives the results in the order of the items. Whoever leaves the loop starts no
 * further work.
 *
 * @param width how many are under way at most
 */
export async function* workInOrder<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const underWay: Promise<R>[] = [];
  for (const item of items) {
    const started = work(item);
    // Told when its turn comes; until then nobody may call it unhandled.
    started.catch(() => {});
    underWay.push(started);
    const next = underWay.length >= width ? underWay.shift() : undefined;
    if (next !== undefined) yield await next;
  }
  for (const last of underWay) yield await last;
}
