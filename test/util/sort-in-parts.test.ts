import fc from 'fast-check';
import { expect, it } from 'vitest';
import { append, joinLists } from '../../src/util/join-lists.js';
import { sortInTurns } from '../../src/util/sort-in-parts.js';
import { CountedTurns } from './counted-turns.js';

it('a list is sorted as the host does it, equal items in the order they had', async () => {
  const items = fc.array(fc.record({ key: fc.nat(20), name: fc.string() }), { maxLength: 300 });
  const order = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  await fc.assert(
    fc.asyncProperty(items, async (list) => {
      const before = [...list];
      expect(await sortInTurns(list, order, new CountedTurns())).toEqual(list.toSorted(order));
      expect(list).toEqual(before);
    }),
  );
});

it('others get their turn', async () => {
  const turns = new CountedTurns();
  const list = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_007);
  expect(await sortInTurns(list, (a, b) => a - b, turns)).toEqual(list.toSorted((a, b) => a - b));
  expect(turns.taken).toBeGreaterThan(1000);
});

it('lists are joined as the host does it, of any length', () => {
  const long = Array.from({ length: 20_000 }, (_, index) => index);
  for (const lists of [[], [1], [[1, [2]]], [[1], 2, [], [3]], [long, [1]], [[1], long, 2, long]]) {
    expect(joinLists(lists)).toEqual(lists.flat());
  }
  expect(append([1], [2])).toEqual([1, 2]);
  expect(append([1], long)).toHaveLength(20_001);
});
