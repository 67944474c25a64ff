import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../src/tools/testing/matching/same-value.js';
import { readExpected } from '../../src/tools/testing/matching/tagged-values.js';

const fits = (expected: unknown, got: unknown): boolean => isSameValue(readExpected(expected), got);

describe('isSameValue', () => {
  it.each([
    [5, Number.POSITIVE_INFINITY],
    [5, Number.NaN],
    [5, '5'],
    ['', null],
    [null, undefined],
    [{}, []],
    [{ a: null }, {}],
    [[undefined], []],
    [{ $buffer: 'YQ==' }, 'a'],
    [{ $date: '2020-01-01T00:00:00.000Z' }, '2020-01-01T00:00:00.000Z'],
  ])('tells %j from %s', (expected, got) => {
    expect(fits(expected, got)).toBe(false);
  });

  it('accepts undefined and nullish where expected, at any depth', () => {
    expect(fits([{ $undefined: true }], [undefined])).toBe(true);
    expect(fits([{ $undefined: true }], [null])).toBe(false);
    expect(fits({ a: { $nullish: true } }, {})).toBe(true);
    expect(fits({ a: { $nullish: true } }, { a: null })).toBe(true);
    expect(fits({ a: { $nullish: true } }, { a: 0 })).toBe(false);
  });

  it('treats an undefined member as absent', () => {
    expect(fits({ a: 1 }, { a: 1, b: undefined })).toBe(true);
  });

  it.each([{ $date: 'never' }, { $buffer: 'a~' }])('refuses %j: no value is meant by it', (expected) => {
    expect(() => readExpected(expected)).toThrow(TypeError);
  });
});
