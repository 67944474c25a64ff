import { expect, it } from 'vitest';
import { memoryInUse } from '../sandbox/collect-garbage.js';
import { engineOf, respond } from './helpers.js';

const PAGES = 20;
const PAGE_BYTES = 1_000_000;

it('releases the pages of a run if its trace is not read', async () => {
  const text = (page: number): string =>
    JSON.stringify({ next: page < PAGES ? page + 1 : null, items: [page], rest: 'x'.repeat(PAGE_BYTES) });
  const communication = {
    url: '/items',
    qs: { page: 1 },
    response: { iterate: '{{body.items}}', output: { id: '{{item}}' } },
    pagination: { condition: '{{body.next}}', qs: { page: '{{body.next}}' } },
  };
  const { run } = engineOf(communication, {
    http: { transport: async ({ url }) => respond({ text: text(Number(url.split('=')[1])) }) },
  });
  const before = await memoryInUse();
  const report = await run();
  const { heap } = await memoryInUse();
  expect(report.bundles).toHaveLength(PAGES);
  // Half of what the pages would take: other tests of the process may still release or allocate memory.
  expect(heap - before.heap).toBeLessThan((PAGES * PAGE_BYTES) / 2);
  expect(report.trace.filter(({ kind }) => kind === 'response')).toHaveLength(PAGES);
});
