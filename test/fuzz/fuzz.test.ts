import { afterAll, describe, expect, it } from 'vitest';
import { runTarget } from './run-target.js';
import { FOUND, openTargets } from './targets.js';

/** Of each target; `npm run fuzz` tries more. */
const CASES = 10_000;

const targets = await openTargets();
afterAll(() => targets[Symbol.dispose]());

describe.each(targets.all)('$name', (target) => {
  const found = FOUND.filter((kept) => kept.target === target.name);
  if (found.length > 0) {
    it.each(found)('survives: $title', async ({ input }) => {
      await target.survive(input);
    });
  }

  it('survives whatever is made up', async () => {
    const seed = await runTarget(target, CASES);
    console.info(`${target.name}: ${CASES} cases, seed ${seed}`);
  }, 1_000_000);
});

it('kept inputs belong to a target', () => {
  const names = targets.all.map(({ name }) => name);
  expect(FOUND.filter(({ target }) => !names.includes(target))).toEqual([]);
});
