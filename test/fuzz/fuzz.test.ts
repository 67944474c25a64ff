import { afterAll, describe, expect, it } from 'vitest';
import { runTarget } from './run-target.js';
import { FOUND, openTargets } from './targets.js';

/** Cases per target, with the fixed seed of the test configuration. `npm run fuzz` runs more, with a random seed. */
const CASES = 1000;

const targets = await openTargets();
afterAll(() => targets[Symbol.dispose]());

describe('inputs that failed before', () => {
  it.each(FOUND)('do not fail again: $title', async ({ target, input }) => {
    await targets.all.find(({ name }) => name === target)?.survive(input);
  });
});

// QuickJS does not interrupt a native loop (`indexOf` over a huge length), so generated code may not end in this thread: docs/isolation.md.
it.each(targets.all.filter(({ name }) => name !== 'sandbox'))(
  '$name survives generated inputs',
  async (target) => {
    await runTarget(target, CASES);
  },
);

it('all stored inputs belong to a target', () => {
  const names = targets.all.map(({ name }) => name);
  expect(FOUND.filter(({ target }) => !names.includes(target))).toEqual([]);
});
