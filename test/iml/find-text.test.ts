import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextSearch } from '../../src/iml/functions/text.js';

const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

describe('a text search', () => {
  it('finds what indexOf finds, in long needles too', () => {
    const cases = fc.record({
      before: letters(40),
      period: letters(4).filter((text) => text !== ''),
      times: fc.integer({ min: 0, max: 200 }),
      tail: letters(3),
      after: letters(40),
      from: fc.integer({ min: -3, max: 60 }),
    });
    fc.assert(
      fc.property(cases, ({ before, period, times, tail, after, from }) => {
        const needle = period.repeat(times) + tail;
        const text = `${before}${period.repeat(times + 2)}${tail}${after}`;
        expect(createTextSearch(needle)(text, from)).toBe(text.indexOf(needle, from));
        expect(createTextSearch(`${needle}c`)(text, from)).toBe(-1);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([255, 256, 257, 258])('works the same for a needle of %i units', (length) => {
    const needle = `${'a'.repeat(length - 2)}ba`;
    const find = createTextSearch(needle);
    const text = `${'a'.repeat(999)}ba${'a'.repeat(999)}ba`;
    expect([find(text, 0), find(text, 1000), find(text, 1900)]).toEqual([
      text.indexOf(needle),
      text.indexOf(needle, 1000),
      -1,
    ]);
  });
});
