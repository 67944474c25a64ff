import { afterAll, describe, expect, it } from 'vitest';
import { runTarget } from './run-target.js';
import { FOUND, openTargets } from './targets.js';

/** Cases per target, with the fixed seed of the test configuration. `npm run fuzz` runs more, with a random seed. */
const CASES = 1000;

const targets = await openTargets();
afterAll(() => targets[Symbol.dispose]());

describe.each(targets.all)('$name', (target) => {
  const found = FOUND.filter((kept) => kept.target === target.name);
  if (found.length > 0) {
    it.each(found)('survives: $title', async ({ input }) => {
      await target.survive(input);
    });
  }

  it('survives generated inputs', async () => {
    await runTarget(target, CASES);
  });
});

it('kept inputs belong to a target', () => {
  const names = targets.all.map(({ name }) => name);
  expect(FOUND.filter(({ target }) => !names.includes(target))).toEqual([]);
});
