import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemId } from '../../src/component/trigger-data.js';
import { compareIds, idText } from '../../src/trigger/trigger-state.js';

const sorted = (...ids: ItemId[]): ItemId[] => [...ids].sort(compareIds);

describe('compareIds', () => {
  it('orders numbers and numeric texts by value', () => {
    expect(sorted(10, '9', 2, '-3', -20)).toEqual([-20, '-3', 2, '9', 10]);
    expect(sorted('0100', '0099', '1000', '0999')).toEqual(['0099', '0100', '0999', '1000']);
  });

  it('orders numeric texts beyond 53 bits to the last digit', () => {
    expect(compareIds('1234567890123456789', '1234567890123456788')).toBeGreaterThan(0);
    expect(compareIds('1700000000.000200', '1700000000.000100')).toBeGreaterThan(0);
    expect(compareIds(1e21, '1000000000000000000000')).toBe(0);
    expect(compareIds(1e-7, 0.00001)).toBeLessThan(0);
  });

  it('orders other texts by code units, after numbers', () => {
    expect(sorted('b', 'a', 'B', '7', 'á')).toEqual(['7', 'B', 'a', 'b', 'á']);
  });

  it('treats a number and its text as equal, and two notations of a number as different', () => {
    expect(compareIds(5, '5')).toBe(0);
    expect(compareIds('007', '7')).not.toBe(0);
    expect(compareIds('1.1', '1.10')).toBeLessThan(0);
  });

  const id = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer().map(String),
    fc.stringMatching(/^-?\d{0,3}(\.\d{0,2})?[a-e]?$/),
    fc.string({ maxLength: 4 }),
  );

  it('is a total order', () => {
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) + 0);
        expect(compareIds(a, b) === 0).toBe(idText(a) === idText(b));
        if (compareIds(a, b) <= 0 && compareIds(b, c) <= 0) expect(compareIds(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});
