import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutcomeMemo } from '../../../src/iml/pattern/match-pattern.js';

describe('remembered outcomes', () => {
  it('are those that were told, and no others', () => {
    const length = 100;
    const pairs = fc.array(fc.tuple(fc.nat(5), fc.nat(length)), { maxLength: 80 });
    const property = fc.property(pairs, (told) => {
      const memo = new OutcomeMemo(length);
      const expected = new Set<string>();
      for (const [row, position] of told) {
        memo.add(row, position);
        expected.add(`${row} ${position}`);
      }
      const all = Array.from(
        { length: 6 * (length + 1) },
        (_, index) => [index % 6, Math.floor(index / 6)] as const,
      );
      const known = all.filter(([row, position]) => memo.has(row, position)).map((pair) => pair.join(' '));
      expect(new Set(known)).toEqual(expected);
    });
    fc.assert(property, { numRuns: 10 });
  });

  it('are 2^27 at most: what is told beyond them is forgotten', () => {
    const length = 2 ** 25 - 1;
    const memo = new OutcomeMemo(length);
    for (const row of [7, 1, 2, 3, 4]) for (const position of [0, 31, 32, length]) memo.add(row, position);
    const kept = [7, 1, 2, 3, 4].filter(
      (row) => memo.has(row, 0) && memo.has(row, 31) && memo.has(row, length),
    );
    expect(kept).toEqual([7, 1, 2, 3]);
    expect(memo.has(4, 0)).toBe(false);
    memo.add(3, 33);
    expect(memo.has(3, 33)).toBe(true);
    expect(memo.has(3, 34)).toBe(false);
  });
});
