import { expect, it } from 'vitest';
import { findRecipients } from '../../src/webhook/find-recipients.js';
import { CountedTurns } from '../util/counted-turns.js';

const routed = Array.from({ length: 1000 }, (_, index) => ({ uid: `u${index % 500}`, bundle: index }));

it.each([
  ['a list of connections', routed.map(({ uid }, index) => ({ id: `c${index}`, uid })), 2400],
  ['a function', (uid: string) => [`c${uid.slice(1)}`], 1400],
  ['a function that takes its time', async (uid: string) => [`c${uid.slice(1)}`], 1400],
])('others have their turn while who gets many bundles is looked up by %s', async (_title, given, most) => {
  const turns = new CountedTurns();
  const deliveries = await findRecipients(routed, given, turns);
  expect(deliveries).toHaveLength(500);
  expect(deliveries[7]).toMatchObject({ uid: 'u7', bundles: [7, 507] });
  expect(deliveries[7]?.recipients).toContain('c7');
  expect(turns.taken).toBeGreaterThan(most);
});

it('a uid nobody has is left out, unless the caller looks for the recipients', async () => {
  const one = [{ uid: 'a', bundle: 1 }];
  expect(await findRecipients(one, [{ id: '1', uid: 'b' }], new CountedTurns())).toEqual([]);
  expect(await findRecipients(one, undefined, new CountedTurns())).toEqual([
    { uid: 'a', recipients: [], bundles: [1] },
  ]);
});
