import { expect, it } from 'vitest';
import { memoryInUse } from '../sandbox/collect-garbage.js';
import { engineOf, respond } from './helpers.js';

const PAGES = 20;
const PAGE_BYTES = 1_000_000;

it('keeps of a run whose trace nobody has read no page that was read', async () => {
  const text = (page: number): string =>
    JSON.stringify({ next: page < PAGES ? page + 1 : null, items: [page], rest: 'x'.repeat(PAGE_BYTES) });
  const communication = {
    url: '/items',
    qs: { page: 1 },
    response: { iterate: '{{body.items}}', output: '{{item}}' },
    pagination: { condition: '{{body.next}}', qs: { page: '{{body.next}}' } },
  };
  const { run } = engineOf(communication, {
    transport: async ({ url }) => respond({ text: text(Number(url.split('=')[1])) }),
  });
  const before = await memoryInUse();
  const report = await run();
  const { heap } = await memoryInUse();
  expect(report.bundles).toHaveLength(PAGES);
  expect(heap - before.heap).toBeLessThan(3 * PAGE_BYTES);
  expect(report.trace.filter(({ kind }) => kind === 'response')).toHaveLength(PAGES);
});
