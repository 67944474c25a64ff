import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isBuffer,
  isDate,
  isEmpty,
  isOn,
  isTruthy,
  toArithmetic,
  toNumber,
  toText,
} from '../../src/iml/values/coerce.js';

describe('toText', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    [true, 'true'],
    [0.1, '0.1'],
    [-0, '0'],
    [Number.NaN, ''],
    [12n, '12'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(Number.NaN), ''],
    [new Uint8Array([0xc5, 0x99]), 'ř'],
    [[1, [2, [null, 'x']], {}], '1,2,,x,{object}'],
    [{}, '{object}'],
    [new Map(), '{object}'],
    [() => 1, ''],
    [Symbol('s'), ''],
  ])('of %o is %j', (value, text) => expect(toText(value)).toBe(text));

  it('an array that holds itself ends', () => {
    const list: unknown[] = ['a'];
    list.push(list);
    expect(toText(list)).toMatch(/^(?:a,)+$/);
  });
  it.each([
    [255, 'x'],
    [256, 'x'],
    [257, ''],
  ])('an array in %i arrays is %j', (depth, text) => {
    let list: unknown = 'x';
    for (let level = 0; level < depth; level++) list = [list];
    expect(toText(list)).toBe(text);
  });
  it('an array of more items than it may have is a limit', () => {
    // Of this length without memory for its items.
    const long: unknown[] = [];
    long.length = 2 ** 31;
    for (const value of [long, [long], [[], long]])
      expect(() => toText(value)).toThrow(expect.objectContaining({ code: 'IML_LIMIT' }));
  });
  it('an array of any depth ends', () => {
    let list: unknown[] = ['x'];
    for (let depth = 0; depth < 100_000; depth++) list = [list];
    expect(toText(list)).toBe('');
  });
  it('an object that only claims to be a date or a buffer is none', () => {
    expect(toText(Object.create(Date.prototype))).toBe('{object}');
    expect(toText(Object.create(Uint8Array.prototype))).toBe('{object}');
    expect(isDate(Object.create(Date.prototype))).toBe(false);
    expect(isBuffer(Object.create(Uint8Array.prototype))).toBe(false);
  });
  it('gives text for anything', () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withSparseArray: true }),
        (value) => typeof toText(value) === 'string',
      ),
    );
  });
});

describe('numbers', () => {
  it.each([
    ['12', 12],
    [' 1.5 ', 1.5],
    ['-.5', -0.5],
    ['+2.', 2],
    ['1e3', 1000],
    ['', undefined],
    ['0x10', undefined],
    ['1e400', undefined],
    ['1,5', undefined],
    [Number.NaN, undefined],
    [true, undefined],
  ])('toNumber(%j) is %s', (value, expected) => expect(toNumber(value)).toBe(expected));

  it.each([
    ['7', 7],
    ['x', Number.NaN],
    ['', Number.NaN],
    [true, 1],
    [null, 0],
    [undefined, Number.NaN],
    [new Date(5), 5],
    [[1], Number.NaN],
    [{}, Number.NaN],
  ])('toArithmetic(%j) is %d', (value, expected) => expect(toArithmetic(value)).toBe(expected));
});

it('only undefined, null and the empty text are empty', () => {
  expect([undefined, null, ''].every(isEmpty)).toBe(true);
  expect([0, false, ' ', [], {}].some(isEmpty)).toBe(false);
});
it('empty arrays and collections are true', () => expect([[], {}, 'false', -1].every(isTruthy)).toBe(true));
it('the text false switches nothing on', () => {
  expect(isOn('false')).toBe(false);
  expect(isOn('true')).toBe(true);
});
