import { expect, it } from 'vitest';
import { measureRpcResult, type WeighedAnswer } from '../../src/parameters/form/read-answer.js';

const weigh = (answer: unknown, most = 1_000_000): WeighedAnswer => measureRpcResult(answer, most);
const digest = (answer: unknown): string | undefined => weigh(answer).digest;

it('weighs characters, bytes and names, and eight more for each value', () => {
  expect(weigh('abc').weight).toBe(8 + 3);
  expect(weigh([1, 2]).weight).toBe(8 + 16);
  expect(weigh({ name: 'abc', x: null }).weight).toBe(8 + 16 + 5 + 3);
  expect(weigh([Buffer.alloc(100)]).weight).toBe(8 + 8 + 100);
});

it('knows answers of the same content by one digest', () => {
  const answer = { list: ['a', 1, true, null, undefined, new Date(5), Buffer.from('x')], '': {} };
  expect(digest(structuredClone({ ...answer, list: answer.list.slice(0, 6) }))).toBe(
    digest({ ...answer, list: answer.list.slice(0, 6) }),
  );
  expect(digest({ ...answer })).toBe(digest(answer));
});

it('tells others from one another', () => {
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

it('gives no digest for what is too heavy, and for what is no data', () => {
  expect(weigh('x'.repeat(100), 50)).toMatchObject({ digest: undefined, weight: 108 });
  expect(weigh({ ['x'.repeat(100)]: 1 }, 50).digest).toBeUndefined();
  expect(weigh([new Map()]).digest).toBeUndefined();
  expect(weigh([() => 1]).digest).toBeUndefined();
});
