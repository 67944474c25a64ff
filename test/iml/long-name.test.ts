import { describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../src/iml/functions/table.js';
import { createCaseless } from '../../src/iml/values/collection.js';
import { getPath, readIndex } from '../../src/iml/values/path.js';
import { ENVIRONMENT } from './functions/call-function.js';

const call = (name: string, ...args: unknown[]): unknown => FUNCTIONS[name]?.(ENVIRONMENT, ...args);

describe('contains with a number', () => {
  it.each<[list: unknown[], search: number, isFound: boolean]>([
    [[1, 2], 2, true],
    [['2'], 2, false],
    [[0], -0, true],
    [[Number.NaN], Number.NaN, true],
    [[null], 0, false],
  ])('%j holds %d: %s', (list, search, isFound) => {
    expect(call('contains', list, search)).toBe(isFound);
  });
});

it('a member with a long name is found', () => {
  const name = 'n'.repeat(20_000);
  expect(readIndex({ [name]: 1 }, name)).toBe(1);
  expect(getPath({ a: { [name]: 1 } }, `a.${name}`)).toBe(1);
  expect(getPath(createCaseless([[name, 1]]), name.toUpperCase())).toBe(1);
  expect(readIndex({ [name]: () => 1 }, name)).toBeUndefined();
  expect(readIndex({ a: 1 }, name)).toBeUndefined();
  expect(readIndex([5], `${'0'.repeat(20_000)}1`)).toBe(5);
  expect(readIndex(new Date(0), name)).toBeUndefined();
});
