import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDev, type TestDev } from './start-dev.js';

const SPEC = 'modules/list-books/list-books.communication.iml.json';
const FUNCTION = 'functions/format-price/format-price.code.js';

let dev: TestDev;
beforeAll(async () => {
  dev = await startDev({
    prepare: (root) => {
      writeFileSync(path.join(root, FUNCTION), 'function formatPrice() { for (;;) {} }');
    },
  });
});
afterAll(() => dev.close());

it('stops a run whose custom function never ends, and responds meanwhile', async () => {
  const { id } = await dev.post<{ id: string }>('/api/runs', {
    kind: 'module',
    name: 'listBooks',
    parameters: { limit: 1 },
    connection: 'shop',
  });
  await expect.poll(() => dev.shop.requests.length).toBeGreaterThan(0);
  expect(await dev.app()).toMatchObject({ name: 'bookshop' });
  expect(await dev.post(`/api/runs/${id}/stop`)).toEqual({ stopped: true });
  await expect.poll(async () => (await dev.detail(id)).state, { timeout: 8000 }).toBe('stopped');
});

it('runs the last saved app after a worker was terminated', async () => {
  dev.write(FUNCTION, "function formatPrice() { return 'free'; }");
  await dev.server.backend.look();
  const run = await dev.run({ name: 'listBooks', parameters: { limit: 1 } });
  expect(run).toMatchObject({ state: 'ok', bundles: 1 });
  expect(dev.read(SPEC)).toContain('formatPrice');
});
