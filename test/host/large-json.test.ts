import { expect, it } from 'vitest';
import { parseLarge } from '../../src/host/store/large-json.js';
import { JsonText } from '../../src/store/json-text.js';
import { isTurnOver } from '../../src/util/turns.js';

it('a value is read in the next turn where all of this one is taken', async () => {
  isTurnOver();
  for (const end = performance.now() + 20; performance.now() < end; );
  let isOthersTurn = false;
  setImmediate(() => {
    isOthersTurn = true;
  });
  expect(await parseLarge(new JsonText('[1]'))).toEqual([1]);
  expect(isOthersTurn).toBe(true);
});
