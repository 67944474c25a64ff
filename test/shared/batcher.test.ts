import { expect, it } from 'vitest';
import { createBatcher } from '../../src/shared/concurrency.js';

it('batches items that arrive while it is busy, in order and up to the limit', async () => {
  const calls: number[][] = [];
  const double = createBatcher(
    async (items: readonly number[]) => {
      calls.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return items.map((item) => item * 2);
    },
    { maxItems: 3 },
  );
  const first = [double(1), double(2)];
  await new Promise((resolve) => setTimeout(resolve, 1));
  const later = [3, 4, 5, 6].map(double);
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(calls).toEqual([[1, 2], [3, 4, 5], [6]]);
});

it('retries items one by one if a failure may affect a single one', async () => {
  const work = async (items: readonly string[]): Promise<string[]> => {
    if (items.includes('bad')) throw new Error('bad');
    if (items.includes('all')) throw new Error('all');
    return items.map((item) => `${items.length} ${item}`);
  };
  const enter = createBatcher(work, { maxItems: 10, isOfOne: (error) => String(error) === 'Error: bad' });
  const outcome = (items: readonly string[]): Promise<unknown[]> =>
    Promise.all(items.map((item) => enter(item).catch(String)));
  expect(await outcome(['a', 'bad', 'b'])).toEqual(['1 a', 'Error: bad', '1 b']);
  expect(await outcome(['all', 'c'])).toEqual(['Error: all', 'Error: all']);
  expect(await outcome(['d', 'e'])).toEqual(['2 d', '2 e']);
});

it('limits the weight of a batch, and runs a heavier item alone', async () => {
  const calls: number[][] = [];
  const enter = createBatcher(
    async (items: readonly number[]) => {
      calls.push([...items]);
      return items;
    },
    { maxItems: 3, weight: { of: (item) => item, most: 10 } },
  );
  expect(await Promise.all([4, 6, 1, 30, 1, 1, 1, 1].map(enter))).toHaveLength(8);
  expect(calls).toEqual([[4, 6], [1], [30], [1, 1, 1], [1]]);
});
