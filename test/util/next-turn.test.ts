import { expect, it } from 'vitest';
import { printJsonInTurns } from '../../src/cli/output/json-output.js';
import { packBody } from '../../src/dev/history/pack-events.js';
import { isTurnOver, Turns } from '../../src/util/turns.js';

it.each<[string, () => Promise<unknown>]>([
  ['a line of output', () => printJsonInTurns({ a: 1 }, new Turns())],
  ['a body of the history', () => packBody('text', 'bundles')],
])('%s waits for the next turn where all of this one is taken', async (_, work) => {
  isTurnOver();
  for (const end = performance.now() + 20; performance.now() < end; );
  let isOthersTurn = false;
  setImmediate(() => {
    isOthersTurn = true;
  });
  await work();
  expect(isOthersTurn).toBe(true);
});
