import { describe, expect, it } from 'vitest';
import { createDistinctKey, createEqualityKey } from '../../src/iml/values/identity.js';

const other = new Map();
const bytes = (...list: number[]): Uint8Array => Uint8Array.from(list);

/** Values that count as equal stand together. */
const CLASSES: readonly (readonly unknown[])[] = [
  [undefined, null, () => 0],
  ['', ''],
  ['a'],
  ['1'],
  [1, 1, 1.0],
  [0, -0],
  [Number.NaN, Number.NaN],
  ['n1'],
  ['\u0000n1'],
  [true],
  ['true'],
  [new Date(5), new Date(5)],
  [new Date(6)],
  [bytes(1, 2), bytes(1, 2)],
  [bytes(1)],
  [other, other],
  [new Map()],
  [[], []],
  [{}, {}],
  [[1], [1]],
  [['1']],
  [[undefined], [null], [() => 0]],
  [[true]],
  [['true']],
  [[new Date(5)], [new Date(5)]],
  [['d5']],
  [[bytes(1)], [bytes(1)]],
  [['bAQ==']],
  [[other], [other]],
  [[new Map()]],
  [
    { a: 1, b: [2] },
    { b: [2], a: 1 },
  ],
  [
    { a: null, b: undefined },
    { a: null, c: () => 0 },
  ],
  [{ a: 2 }],
  [[[]]],
  [['a', 'b']],
  [['a,b']],
  [['a","b']],
  [['a', 'string b']],
  [['a,string string b']],
  [[[1], [2]]],
  [[[1, 2]]],
  [{ a: { b: 1 } }],
  [{ a: {}, b: 1 }],
  [{ 'a":1,"b': 1 }],
  ['[]'],
  ['\u0000[]'],
  ['\u0000"\u0000[]'],
];

describe('keys for equality', () => {
  it('are the same for what is equal, and for nothing else', () => {
    const keyOf = createEqualityKey();
    const keys = CLASSES.map((values) => values.map(keyOf));
    keys.forEach((own, index) => {
      for (const key of own) expect({ index, key }).toEqual({ index, key: own[0] });
    });
    expect(new Set(keys.map(([key]) => key)).size).toBe(CLASSES.length);
  });
});

describe('the key of a long text', () => {
  it.each([
    ['a text', 'x'.repeat(20_000)],
    ['an array', ['x'.repeat(20_000)]],
  ])('is no key of another text: %s', (_kind, value) => {
    const keyOf = createEqualityKey();
    const key = keyOf(value);
    expect(keyOf(key)).not.toBe(key);
  });
});

describe('keys for distinct', () => {
  it('take numbers and booleans for their text', () => {
    const keyOf = createDistinctKey();
    expect([1, true, '1', 'true', null].map(keyOf)).toEqual(['1', 'true', '1', 'true', undefined]);
    expect(keyOf([1])).not.toBe(keyOf(['1']));
  });
});

it('numbers are no keys of a set as they are: anybody can find thousands that share one place there', () => {
  expect(typeof createEqualityKey()(7)).toBe('string');
  expect(typeof createDistinctKey()(7)).toBe('string');
});
