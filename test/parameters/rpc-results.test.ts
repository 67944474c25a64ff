import { expect, it } from 'vitest';
import { type MeasuredResult, measureRpcResult } from '../../src/engine/parameters/rpc-results.js';

const measure = (result: unknown, limit = 1_000_000): MeasuredResult => measureRpcResult(result, limit);
const digest = (result: unknown): string | undefined => measure(result).digest;

it('counts characters, bytes and names, and eight more per value', () => {
  expect(measure('abc').size).toBe(8 + 3);
  expect(measure([1, 2]).size).toBe(8 + 16);
  expect(measure({ name: 'abc', x: null }).size).toBe(8 + 16 + 5 + 3);
  expect(measure([Buffer.alloc(100)]).size).toBe(8 + 8 + 100);
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
    [undefined],
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

it('gives no digest beyond the limit, nor for values that are not data', () => {
  expect(measure('x'.repeat(100), 50)).toMatchObject({ digest: undefined, size: 108 });
  expect(measure({ ['x'.repeat(100)]: 1 }, 50).digest).toBeUndefined();
  expect(measure([new Map()]).digest).toBeUndefined();
  expect(measure([() => 1]).digest).toBeUndefined();
});
