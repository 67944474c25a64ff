import { describe, expect, it } from 'vitest';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

describe('functions of one number', () => {
  it.each([
    ['abs', '-5', 5],
    ['ceil', -1.2, -1],
    ['floor', -1.2, -2],
    ['round', -1.5, -1],
    ['round', -0.2, 0],
    ['abs', null, null],
    ['abs', undefined, undefined],
  ])('%s(%j) is %j', (name, value, expected) => expect(call(name, value)).toBe(expected));

  it.each(['abc', '', '12px', '0x10', 'Infinity', true, [1], {}, new Date(0)])('throw for %j', (value) => {
    expect(errorOf(() => call('abs', value))?.message).toMatch(/is not a valid number\.$/);
  });
  it('truncate long text in the message', () => {
    expect(errorOf(() => call('abs', 'x'.repeat(1e6)))?.message.length).toBeLessThan(120);
  });
});

describe('trunc', () => {
  it.each([
    [3.789, 2, 3.78],
    [4.35, 2, 4.35],
    [-3.789, 1, -3.7],
    [123.456, -2, 100],
    [123.456, -3, 0],
    [1.5e300, 400, 1.5e300],
    [1e-7, 7, 1e-7],
    [0, 3, 0],
  ])('trunc(%d; %d) is %d', (number, decimals, expected) =>
    expect(call('trunc', number, decimals)).toBe(expected),
  );
});

describe('functions of several numbers', () => {
  it('ignore values that are not numbers and convert numeric text', () => {
    expect(call('sum', [1, 'x', null, '2', true, {}, [9], new Date(1)])).toBe(3);
    expect(call('max', 'a', 3, '7.5')).toBe(7.5);
  });
  it.each(['average', 'max', 'min', 'median', 'stdevP', 'stdevS'])('%s without numbers is null', (name) => {
    expect(call(name, [])).toBeNull();
    expect(call(name)).toBeNull();
    expect(call(name, null)).toBeNull();
  });
  it('sum without numbers is zero', () => expect(call('sum', [])).toBe(0));
  it('stdevS of one number is null', () => expect(call('stdevS', 1)).toBeNull());
  it('an infinite sum is null', () => expect(call('sum', 1.7e308, 1.7e308)).toBeNull());
  it('median does not modify its array', () => {
    const list = [3, 1, 2];
    expect(call('median', list)).toBe(2);
    expect(list).toEqual([3, 1, 2]);
  });
  it('accept an array of a million numbers', () => {
    expect(
      call(
        'max',
        Array.from({ length: 1e6 }, (_, index) => index),
      ),
    ).toBe(999_999);
  });
});

describe('formatNumber', () => {
  it.each([
    [[1.005, 2], '1,01'],
    [[-1.005, 2], '-1,01'],
    [[2.5, 0], '3'],
    [[-2.5, 0], '-3'],
    [[0.05, 1], '0,1'],
    [[0.04, 1], '0,0'],
    [[-0.04, 1], '0,0'],
    [[999.999, 2], '1.000,00'],
    [[1e21, 0], '1.000.000.000.000.000.000.000'],
    [[1.5e-7, 7], '0,0000002'],
    [[0.00987, 1], '0,0'],
    [[-0.00987, 0], '0'],
    [[0.5, 100], `0,5${'0'.repeat(99)}`],
    [[1234.5], '1.235'],
    [['1234.5', 1, '.', ''], '1234.5'],
    [[1234567, 0, '.', '$&'], '1$&234$&567'],
    [[null, 2], null],
    [[undefined, 2], undefined],
  ])('formatNumber(%j) is %j', (args, expected) => expect(call('formatNumber', ...args)).toBe(expected));

  it.each([-1, 101, 1e9])('throws for %d decimals', (decimals) => {
    expect(errorOf(() => call('formatNumber', 1, decimals))).toEqual({
      code: 'IML_FUNCTION',
      message: `'${decimals}' is not a valid number of decimals. Expected 0 to 100.`,
    });
  });
  it('throws IML_LIMIT for a long separator', () => {
    expect(errorOf(() => call('formatNumber', 1e300, 0, ',', 'x'.repeat(1e6)))?.code).toBe('IML_LIMIT');
  });
});

describe('parseNumber', () => {
  it.each([
    [['1 756,456', ','], 1756.456],
    [['1.756,456', ','], 1756.456],
    [['1\u00A0234.5'], 1234.5],
    [['-1e3'], -1000],
    [[3.14, ','], 3.14],
    [[null], null],
    [[undefined], undefined],
  ])('parseNumber(%j) is %j', (args, expected) => expect(call('parseNumber', ...args)).toBe(expected));

  it.each(['abc', '', '1.2.3', '1-2'])('throws for %j', (text) => {
    expect(errorOf(() => call('parseNumber', text))).toEqual({
      code: 'IML_FUNCTION',
      message: `'${text}' is not a valid number.`,
    });
  });
  it('throws for another separator', () =>
    expect(errorOf(() => call('parseNumber', '1', ';'))).toEqual({
      code: 'IML_FUNCTION',
      message: `';' is not a valid decimal separator. Expected "." or ",".`,
    }));
});
