import { describe, expect, it } from 'vitest';
import { contentKey } from '../../src/parameters/check/check-choice.js';

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe('contentKey', () => {
  it.each<readonly [unknown, unknown]>([
    [
      { a: 1, b: [2, null] },
      { b: [2, null], a: 1 },
    ],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [new Date(5), new Date(5)],
    [Buffer.from('a'), new Uint8Array([0x61])],
    [null, null],
  ])('is equal for %o and %o', (one, other) => {
    expect(contentKey(one)).toBeTypeOf('string');
    expect(contentKey(one)).toBe(contentKey(other));
  });

  it.each<readonly [unknown, unknown]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [[1, 2], [[1, 2]]],
    [[[1, 2]], [[1], 2]],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
    [['a,"b'], ['a', 'b']],
    [[], {}],
    [new Date(5), new Date(6)],
    [new Date(5), { date: 5 }],
    [Buffer.from('a'), ['a']],
  ])('differs for %o and %o', (one, other) => {
    expect(contentKey(one)).not.toBe(contentKey(other));
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  const throwing = {
    get a(): never {
      throw new Error('no');
    },
  };

  it.each<readonly [string, unknown]>([
    ['a function', { a: () => 1 }],
    ['an instance of a class', [new Map()]],
    ['a value that holds itself', cycle],
    ['a value that is too deep', deep(100)],
    ['what throws', throwing],
  ])('is undefined for %s', (_, value) => {
    expect(contentKey(value)).toBeUndefined();
  });

  it.each<readonly [string, unknown, number]>([
    ['a list', [1, 'é'], 7],
    ['a collection', { a: 1 }, 7],
    ['a text', { a: 'x'.repeat(100) }, 108],
    ['bytes', [Buffer.alloc(30)], 49],
  ])('is undefined if the key of %s exceeds the limit', (_, value, length) => {
    expect(contentKey(value, length)).toHaveLength(length);
    expect(contentKey(value, length - 1)).toBeUndefined();
  });

  it('stops early for a value that contains one object very often', () => {
    let value: unknown = {};
    for (let level = 0; level < 64; level++) value = { x: value, y: [value, value] };
    expect(contentKey(value, 1000)).toBeUndefined();
  });
});
