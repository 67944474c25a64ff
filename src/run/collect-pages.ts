import type { Page } from './response/collect-outputs.js';

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
