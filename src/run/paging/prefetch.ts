/**
 * Hands on what a source gives, asking it for the next step before the present one is taken:
 * the source works while the consumer does. When the consumer stops, the source is told to.
 */
export async function* prefetch<T, R>(source: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  let ahead = source.next();
  try {
    for (;;) {
      const step = await ahead;
      if (step.done) return step.value;
      ahead = source.next();
      // Whoever awaits this step sees its failure; until then it must not count as unhandled.
      ahead.catch(() => {});
      yield step.value;
    }
  } finally {
    // Not awaited: the source may be in the middle of an exchange that only its own signal ends.
    source.return(undefined as R).catch(() => {});
  }
}
