import type { Page } from '../response/collect-outputs.js';

/** Takes all pages there are. @returns them, and what the source gives in the end */
export async function collectPages<End>(
  source: AsyncGenerator<Page, End>,
): Promise<{ readonly pages: readonly Page[]; readonly end: End }> {
  const pages: Page[] = [];
  for (;;) {
    const step = await source.next();
    if (step.done) return { pages, end: step.value };
    pages.push(step.value);
  }
}

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
