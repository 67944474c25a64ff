import { expect, it } from 'vitest';
import { routeBundles } from '../../src/engine/webhook/webhook-report.js';

const routed = Array.from({ length: 1000 }, (_, index) => ({ uid: `u${index % 500}`, bundle: index }));

it.each([
  ['a list of connections', routed.map(({ uid }, index) => ({ id: `c${index}`, uid }))],
  ['a function', (uid: string) => [`c${uid.slice(1)}`]],
  ['an asynchronous function', async (uid: string) => [`c${uid.slice(1)}`]],
])('groups bundles by recipient, found by %s', async (_title, connections) => {
  const deliveries = await routeBundles(routed, connections);
  expect(deliveries).toHaveLength(500);
  expect(deliveries[7]).toMatchObject({ uid: 'u7', bundles: [7, 507] });
  expect(deliveries[7]?.recipients).toContain('c7');
});

it('drops a uid that no connection has, unless the caller finds the recipients', async () => {
  const one = [{ uid: 'a', bundle: 1 }];
  expect(await routeBundles(one, [{ id: '1', uid: 'b' }])).toEqual([]);
  expect(await routeBundles(one, undefined)).toEqual([{ uid: 'a', recipients: [], bundles: [1] }]);
});

it('routes nothing to a connection whose uid was rounded', async () => {
  const one = [{ uid: '9007199254740992', bundle: 1 }];
  const rounded: unknown = JSON.parse('9007199254740993');
  expect(await routeBundles(one, [{ id: '1', uid: rounded }])).toEqual([]);
  expect(await routeBundles(one, [{ id: '1', uid: '9007199254740992' }])).toHaveLength(1);
});
