import { describe, expect, it } from 'vitest';
import { functions } from '../../../src/language/index.js';
import { callFunction, ENVIRONMENT, errorOf } from './call-function.js';

const MAX_LIST_LENGTH = 5_000_000;

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);
const NUMBERS = Object.freeze([3, 1, 2]);

it.each([
  ['add', [NUMBERS, 9, [8]], [3, 1, 2, 9, [8]]],
  ['arrayDiff', [[1, '1', 1], ['1']], [1, 1]],
  ['arrayDiff', [[{ a: 1 }, { a: 2 }], [{ a: 2 }]], [{ a: 1 }]],
  [
    'arrayIntersect',
    [
      [1, 1, 2],
      [2, 1],
    ],
    [1, 2],
  ],
  ['deduplicate', [[1, '1', 2, null, undefined]], [1, 2, null]],
  ['distinct', [[{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }]], [{ a: 1, b: 2 }, { a: 1 }]],
  ['distinct', [[{ a: { id: 1 } }, { a: { id: '1' } }, {}, {}], 'a.id'], [{ a: { id: 1 } }, {}]],
  ['first', [[]], undefined],
  ['last', [NUMBERS], 2],
  ['first', [null], undefined],
  ['flatten', [[1, [2, [3, [4]]]]], [1, 2, [3, [4]]]],
  ['flatten', [[1, [2, [3, [4]]]], 9], [1, 2, 3, 4]],
  ['flatten', [[[1]], 0], [[1]]],
  ['isArray', [[]], true],
  ['isArray', ['[]'], false],
  ['join', [[1, null, [2, 3]]], '1,,2,3'],
  ['join', [[1, 2], ''], '12'],
  ['join', [null], ''],
  ['keys', [['a', 'b']], ['0', '1']],
  ['keys', [{ a: () => 1, b: 1 }], ['b']],
  ['map', [[{ a: 1 }, {}, { a: null }], 'a'], [1, null]],
  ['map', [[{ a: 1, k: 7 }, { a: 2, k: 8 }, { a: 3 }], 'a', 'k', '7,8'], [1, 2]],
  ['map', [[{ a: 1, k: 'x,y' }], 'a', 'k', ['x,y']], [1]],
  ['map', [[{ a: 1 }], 'a', 'k', undefined], []],
  ['map', [[['x', 'y'], ['z']], 1], ['x', 'z']],
  ['map', [null, 'a'], []],
  ['merge', [[1], null, 'x', [2]], [1, 2]],
  ['remove', [[1, '1', null, { a: 1 }], 1, undefined, { a: 1 }], ['1', { a: 1 }]],
  ['reverse', [NUMBERS], [2, 1, 3]],
  ['slice', [NUMBERS, -2], [1, 2]],
  ['slice', [NUMBERS, '1', '2'], [1]],
  ['toArray', [{ a: 1 }], [{ key: 'a', value: 1 }]],
  ['toArray', [['x']], [{ key: '0', value: 'x' }]],
  ['toCollection', [[{ k: 'a', v: 1 }, { k: 'a', v: 2 }, { v: 3 }], 'k', 'v'], { a: 2 }],
])('%s(%j) is %j', (name, args, expected) => expect(call(name, ...args)).toEqual(expected));

describe('sort', () => {
  const sort = (...args: unknown[]) => call('sort', ...args);
  it('orders numbers by value, then text, then missing values', () => {
    expect(sort([null, 'b', 10, 'B', 9, undefined])).toEqual([9, 10, 'B', 'b', null, undefined]);
    expect(sort([null, 'b', 10, 9], 'desc')).toEqual(['b', 10, 9, null]);
  });
  it('orders dates by instant', () => {
    expect(sort([new Date(5), new Date(1)])).toEqual([new Date(1), new Date(5)]);
    const kinds = [{ a: 1 }, 'b', true, new Date(1), 2, [1, 'c'], false, new Date(0), 1, 'a', { b: 1 }];
    const nothing = [null, Number.NaN, new Date(Number.NaN), undefined];
    const inOrder = [1, 2, new Date(0), new Date(1), false, true, [1, 'c'], 'a', 'b', { a: 1 }, { b: 1 }];
    const fromTheEnd = [{ a: 1 }, { b: 1 }, 'b', 'a', [1, 'c'], true, false, new Date(1), new Date(0), 2, 1];
    for (const list of [
      [...nothing, ...kinds],
      [...kinds, ...nothing],
    ]) {
      expect(sort(list)).toEqual([...inOrder, ...nothing]);
      expect(sort(list, ' DESC ')).toEqual([...fromTheEnd, ...nothing]);
    }
    expect(sort(['b_', 'B', 'a', 'C', ['A']], 'asc ci')).toEqual(['a', ['A'], 'B', 'b_', 'C']);
  });
  it('is stable in both directions', () => {
    const list = [
      { n: 'a', i: 1 },
      { n: 'A', i: 2 },
      { n: 'a', i: 3 },
    ];
    expect(call('map', sort(list, 'asc ci', 'n'), 'i')).toEqual([1, 2, 3]);
    expect(call('map', sort(list, 'desc ci', 'n'), 'i')).toEqual([1, 2, 3]);
  });
  it('accepts the key as the second argument', () =>
    expect(sort([{ n: 2 }, { n: 1 }], 'n')).toEqual([{ n: 1 }, { n: 2 }]));
  it('is ascending without an order', () =>
    expect(sort([{ n: 2 }, { n: 1 }], '', 'n')).toEqual([{ n: 1 }, { n: 2 }]));
  it('throws for an unknown order', () => {
    expect(errorOf(() => sort([], 'up', 'n'))?.message).toMatch(/^'up' is not a valid order/);
  });
});

describe('shuffle', () => {
  it('keeps all items and does not modify its argument', () => {
    const list = [1, 2, 3, 4];
    expect((call('shuffle', list) as number[]).toSorted()).toEqual([1, 2, 3, 4]);
    expect(list).toEqual([1, 2, 3, 4]);
  });
  it('returns each permutation with equal probability', () => {
    const thirds = [1 / 6, 3 / 6, 5 / 6];
    const halves = [1 / 4, 3 / 4];
    const orders = thirds.flatMap((first) =>
      halves.map((second) => {
        const draws = [first, second];
        const random = (): number => {
          const draw = draws.shift();
          if (draw === undefined) throw new Error('One draw too many.');
          return draw;
        };
        return String(functions['shuffle']?.({ ...ENVIRONMENT, random }, [1, 2, 3]));
      }),
    );
    expect(orders.toSorted()).toEqual(['1,2,3', '1,3,2', '2,1,3', '2,3,1', '3,1,2', '3,2,1']);
  });
  it.each([1, -1, Number.NaN, 1e9])('keeps all items if random returns %d', (value) => {
    const shuffle = functions['shuffle'];
    const result = shuffle?.({ ...ENVIRONMENT, random: () => value }, [1, 2, 3]) as number[];
    expect(result.toSorted()).toEqual([1, 2, 3]);
  });
});

describe('hostile input', () => {
  it('map throws for text without naming it', () => {
    expect(errorOf(() => call('map', 'text', 'a'))).toEqual({
      code: 'IML_FUNCTION',
      message: 'Invalid array',
    });
  });
  it.each(['add', 'first', 'join', 'sort', 'slice', 'reverse', 'flatten', 'distinct', 'toCollection'])(
    '%s throws for text and names it',
    (name) => {
      expect(errorOf(() => call(name, 'text', 'a'))).toEqual({
        code: 'IML_FUNCTION',
        message: "'text' is not a valid array.",
      });
    },
  );
  it('toCollection creates an own member __proto__', () => {
    const result = call('toCollection', [{ k: '__proto__', v: { polluted: true } }], 'k', 'v') as object;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
  it.each(['__proto__', 'constructor', 'constructor.name', 'toString', 'length'])(
    'the key %s finds nothing',
    (key) => {
      expect(call('map', [{}, [], 'text', 5], key)).toEqual([]);
      expect(call('distinct', [{ a: 1 }, { a: 2 }], key)).toEqual([{ a: 1 }]);
    },
  );
  it('functions in data are never called or returned', () => {
    const trap = () => {
      throw new Error('called');
    };
    expect(call('first', [trap])).toBeUndefined();
    expect(call('map', [{ a: trap }], 'a')).toEqual([]);
    expect(call('join', [trap, { toString: trap }])).toBe(',{object}');
    expect(
      call(
        'toArray',
        Object.fromEntries([
          ['a', trap],
          ['then', trap],
        ]),
      ),
    ).toEqual([]);
    expect(call('distinct', [{ toJSON: trap, valueOf: trap }])).toHaveLength(1);
  });
  it('circular arrays throw or end', () => {
    const list: unknown[] = [1];
    list.push(list);
    const failure = { code: 'IML_FUNCTION', message: 'Circular reference.' };
    for (const value of [list, [list], [[list], list]])
      expect(errorOf(() => call('flatten', value, 1e9))).toEqual(failure);
    expect(errorOf(() => call('flatten', list))).toEqual(failure);
    expect(errorOf(() => call('distinct', list))?.code).toBe('IML_FUNCTION');
    expect(call('join', [1, 2])).toBe('1,2');
  });
  it('exponentially repeated references throw IML_LIMIT', () => {
    let list: unknown[] = Array(100_000).fill(1);
    for (let depth = 0; depth < 100; depth++) list = [list, list];
    expect(errorOf(() => call('flatten', list, 1e9))?.code).toBe('IML_LIMIT');
    expect(errorOf(() => call('join', list))?.code).toBe('IML_LIMIT');
  });
  it.each(['map', 'sort', 'reverse', 'join', 'keys', 'toArray', 'merge', 'add', 'distinct', 'flatten'])(
    '%s throws for an array that is too long',
    (name) => {
      const sparse = new Array(MAX_LIST_LENGTH + 1);
      expect(errorOf(() => call(name, sparse, 'a'))?.code).toBe('IML_LIMIT');
    },
  );
  it('arrays that are too long together throw IML_LIMIT', () => {
    expect(errorOf(() => call('merge', [1], new Array(MAX_LIST_LENGTH)))?.code).toBe('IML_LIMIT');
  });
  it('a long separator throws IML_LIMIT', () => {
    expect(errorOf(() => call('join', Array(1000).fill('a'), 'x'.repeat(1e6)))?.code).toBe('IML_LIMIT');
  });
});

it('remove keeps collections and arrays, and does not compare them', () => {
  const [record, list] = [{ a: 1 }, [1]];
  expect(call('remove', [record, list, 1, null], record, list, 1)).toEqual([record, list, null]);
  const own: unknown[] = [];
  own.push(own);
  expect(call('remove', [own, 1], own, 1)).toEqual([own]);
});
