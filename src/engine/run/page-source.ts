import type { Page } from './collect-outputs.js';

/** Collects all pages. @returns the pages and the return value of the source */
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
 * Requests the next step of a source before the current one is consumed, so that both work concurrently. When the
 * consumer stops, the source is stopped.
 */
export async function* prefetch<T, R>(source: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  let ahead = source.next();
  try {
    for (;;) {
      const step = await ahead;
      if (step.done) return step.value;
      ahead = source.next();
      // Prevents an unhandled rejection until the step is awaited.
      ahead.catch(() => {});
      yield step.value;
    }
  } finally {
    // Not awaited: the source may wait for a request that only its own signal ends.
    source.return(undefined as R).catch(() => {});
  }
}
