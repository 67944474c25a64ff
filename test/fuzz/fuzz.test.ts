import { afterAll, describe, expect, it } from 'vitest';
import { FOUND, openTargets } from './targets.js';

const targets = await openTargets();
afterAll(() => targets[Symbol.dispose]());

/** Generated inputs are for `npm run fuzz`; what it found stays here. */
describe('kept inputs', () => {
  it.each(FOUND)('are survived: $title', async ({ target, input }) => {
    await targets.all.find(({ name }) => name === target)?.survive(input);
  });
});

it('kept inputs belong to a target', () => {
  const names = targets.all.map(({ name }) => name);
  expect(FOUND.filter(({ target }) => !names.includes(target))).toEqual([]);
});
