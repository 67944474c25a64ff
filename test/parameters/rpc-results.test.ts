import { expect, it } from 'vitest';
import { digestRpcResult as digest, measureRpcResult } from '../../src/engine/parameters/rpc-results.js';

const measure = (result: unknown, limit = 1_000_000): number => measureRpcResult(result, limit);

it('counts characters, bytes and names, and eight more per value', () => {
  expect(measure('abc')).toBe(8 + 3);
  expect(measure([1, 2])).toBe(8 + 16);
  expect(measure({ name: 'abc', x: null })).toBe(8 + 16 + 5 + 3);
  expect(measure([Buffer.alloc(100)])).toBe(8 + 8 + 100);
});

it('gives RPC results with the same content the same digest', () => {
  const result = { list: ['a', 1, true, null, undefined, new Date(5), Buffer.from('x')], '': {} };
  expect(digest(structuredClone({ ...result, list: result.list.slice(0, 6) }))).toBe(
    digest({ ...result, list: result.list.slice(0, 6) }),
  );
  expect(digest({ ...result })).toBe(digest(result));
});

it('gives RPC results with different content different digests', () => {
  const others = [
    [[1, 2]],
    [[1], 2],
    { a: { b: 1 }, c: 2 },
    { a: { b: 1, c: 2 } },
    ['a', 'b'],
    ['a1 b'],
    ['\ud800'],
    ['\ud801'],
    [1],
    ['1'],
    [true],
    ['true'],
    [null],
    [[]],
    [{}],
    [new Date(1)],
    [new Date(2)],
    [Buffer.from('a')],
    [Buffer.from('b')],
    [],
  ];
  expect(new Set(others.map(digest)).size).toBe(others.length);
});

it('stops counting beyond the limit', () => {
  expect(measure('x'.repeat(100), 50)).toBe(108);
  expect(measure({ ['x'.repeat(100)]: 'y'.repeat(100) }, 50)).toBe(8 + 8 + 100);
});

it('gives a result without JSON no digest', () => {
  expect(digest([1n])).toBeUndefined();
  expect(digest(undefined)).toBeUndefined();
  let deep: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(digest(deep)).toBeUndefined();
});
