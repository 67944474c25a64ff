import { describe, expect, it } from 'vitest';
import { classifyValue, describeType } from '../../src/iml/values/value-kind.js';

const unreadable = new Proxy(
  {},
  {
    getPrototypeOf: () => {
      throw new Error('No.');
    },
  },
);

describe('the kind of a value', () => {
  it.each([
    [undefined, 'unset', 'nothing'],
    [null, 'null', 'null'],
    ['', 'text', 'text'],
    [0, 'number', 'a number'],
    [false, 'boolean', 'a boolean'],
    [new Date(0), 'date', 'a date'],
    [new Date(Number.NaN), 'date', 'a date'],
    [new Uint8Array(1), 'buffer', 'a buffer'],
    [[], 'array', 'an array'],
    [{}, 'collection', 'a collection'],
    [Object.create(null), 'collection', 'a collection'],
    [new Map(), 'unreadable', 'an object'],
    [unreadable, 'unreadable', 'an object'],
    [() => 0, 'unreadable', 'a function'],
    [1n, 'unreadable', 'a bigint'],
    [Symbol('s'), 'unreadable', 'a symbol'],
  ])('%# has a name, and one for messages', (value, kind, described) => {
    expect([classifyValue(value), describeType(value)]).toEqual([kind, described]);
  });
});
