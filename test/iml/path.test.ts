import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCaseless } from '../../src/iml/values/collection.js';
import {
  getPath,
  memberReader,
  readFirst,
  readIndex,
  readMember,
  scopePathReader,
  showsOwn,
} from '../../src/iml/values/path.js';
import { isCaseless } from '../../src/util/plain-object.js';

const LIST = ['a', 'b', 'c'];

describe('readMember', () => {
  it('reads own members', () => {
    expect(readMember({ a: 1 }, 'a')).toBe(1);
    expect(readMember(Object.assign(Object.create(null), { a: 1 }), 'a')).toBe(1);
    expect(readMember(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1);
    expect(readMember({ constructor: 'own' }, 'constructor')).toBe('own');
  });
  it('reads items by number', () => expect(readMember(LIST, '2')).toBe('b'));
  it('reads no inherited member of any value', () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'valueOf',
      'hasOwnProperty',
      '__defineGetter__',
      'length',
      'then',
    ];
    const values = [
      {},
      [],
      '',
      0,
      true,
      null,
      undefined,
      new Date(0),
      new Uint8Array(1),
      new Map(),
      /x/,
      () => 1,
    ];
    for (const name of names) {
      for (const value of values) {
        expect(readMember(value, name)).toBeUndefined();
        expect(memberReader(name)(value)).toBeUndefined();
      }
    }
  });
  it('sees nothing of class instances, and no function', () => {
    class Secret {
      key = 1;
    }
    expect(readMember(new Secret(), 'key')).toBeUndefined();
    expect(readMember({ run: () => 1 }, 'run')).toBeUndefined();
    expect(readMember(Object.assign([1], { extra: 1 }), 'extra')).toBeUndefined();
  });
  it('memberReader reads the same', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1', '-1', 'length'));
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, key: name }), name, (value, key) => {
        expect(memberReader(key)(value)).toBe(readMember(value, key));
      }),
    );
  });
});

describe('readIndex', () => {
  it.each([
    [1, 'a'],
    [-1, 'c'],
    [-3, 'a'],
    ['2', 'b'],
    [0, undefined],
    [4, undefined],
    [-4, undefined],
    [1.5, undefined],
    [Number.NaN, undefined],
    [undefined, undefined],
    [null, undefined],
    [true, undefined],
    [['1'], undefined],
    ['length', undefined],
    ['0', undefined],
  ])('[%j] of an array is %j', (index, expected) => expect(readIndex(LIST, index)).toBe(expected));
  it('reads items only, whatever stands beside them or is inherited', () => {
    const odd = Object.assign(['a', 'b'], { '-1': 'before', '0.5': 'between', '1.5': 'between' });
    Object.setPrototypeOf(odd, ['p', 'p', 'p', 'p']);
    expect([1, 2, -1, -2].map((index) => readIndex(odd, index))).toEqual(['a', 'b', 'b', 'a']);
    for (const index of [-3, 3, 4, 1.5, 2.5, -0.5, 0, Number.POSITIVE_INFINITY]) {
      expect(readIndex(odd, index)).toBeUndefined();
      expect(readIndex(odd, String(index))).toBeUndefined();
    }
  });
  it('reads a member of a collection by its name', () => {
    expect(readIndex({ 'x:y': 7, '5': 'five' }, 'x:y')).toBe(7);
    expect(readIndex({ 'x:y': 7, '5': 'five' }, 5)).toBe('five');
  });
  it('finds nothing in text', () => expect(readIndex('text', 1)).toBeUndefined());
});

describe('readFirst', () => {
  it('is the first item of an array', () => expect(readFirst(LIST)).toBe('a'));
  it('is the value itself otherwise', () => {
    const value = { a: 1 };
    expect(readFirst(value)).toBe(value);
    expect(readFirst('text')).toBe('text');
    expect(readFirst([])).toBeUndefined();
    expect(readFirst(() => 1)).toBeUndefined();
  });
});

describe('getPath', () => {
  it('ends where the path does', () => {
    expect(getPath({ a: [{ b: 1 }] }, 'a.1.b')).toBe(1);
    expect(getPath({ a: 1 }, 'a.b.c')).toBeUndefined();
    expect(getPath(null, 'a.b')).toBeUndefined();
  });
  it('a path of a million steps is only long', () =>
    expect(getPath({ a: 1 }, 'a.'.repeat(1e6))).toBeUndefined());
});

describe('caseless collections', () => {
  const headers = createCaseless([
    ['Content-Type', 'text/plain'],
    ['CONTENT-TYPE', 'text/html'],
    ['__proto__', 'own'],
  ]);
  it('are read without case; the later of equal names wins', () => {
    expect(readMember(headers, 'content-TYPE')).toBe('text/html');
    expect(getPath({ headers }, 'headers.Content-Type')).toBe('text/html');
    expect(Object.keys(headers)).toEqual(['content-type', '__proto__']);
  });
  it('have no other members', () => {
    expect(readMember(headers, 'constructor')).toBeUndefined();
    expect(isCaseless(headers)).toBe(true);
    for (const value of [{}, Object.create(null), null, undefined, 'text', 5])
      expect(isCaseless(value)).toBe(false);
  });
});

describe('an object that shows its own members only', () => {
  it.each([{ a: 1 }, {}, Object.create(null)])('is %o', (value) => expect(showsOwn(value)).toBe(true));

  class Instance {}
  it.each([
    new Instance(),
    Object.create({ a: 1 }),
    createCaseless([]),
    [],
    new Date(0),
    new Map(),
    null,
    undefined,
    'text',
    5,
    () => 0,
  ])('is not %o', (value) => expect(showsOwn(value)).toBe(false));
});

describe('a path of a scope', () => {
  const own = {
    b: { c: { d: 4 }, f: () => 0, list: [7, 8] },
    f: () => 0,
    no: null,
    text: 'abc',
    list: [5, 6],
  };

  it.each(['item', 'a'])('that starts at %s is read to its end', (root) => {
    const read = (...names: string[]): unknown => scopePathReader([root, ...names])({ [root]: own });
    expect(read()).toBe(own);
    expect(read('b')).toBe(own.b);
    expect(read('b', 'c')).toBe(own.b.c);
    expect(read('b', 'c', 'd')).toBe(4);
    expect(read('list', '2')).toBe(6);
    expect(read('b', 'list', '-1')).toBe(8);
    expect(read('text')).toBe('abc');
    for (const names of [
      ...[['f'], ['b', 'f'], ['f', 'name'], ['no', 'a'], ['text', 'length'], ['b', 'gone'], ['gone', 'a']],
      ...[['toString'], ['b', 'toString'], ['toString', 'name'], ['constructor'], ['list', 'length']],
      ...[
        ['b', 'c', 'toString'],
        ['b', 'gone', 'd'],
        ['list', '0'],
        ['list', '3'],
      ],
    ])
      expect(read(...names)).toBeUndefined();
  });

  it.each([undefined, null, 'text', 5, true, () => 0])('%# leads nowhere in what holds nothing', (value) => {
    for (const root of ['item', 'a'])
      for (const rest of [['length'], ['name'], ['b', 'c'], ['b', 'c', 'd']])
        expect(scopePathReader([root, ...rest])({ [root]: value })).toBeUndefined();
  });

  it('reads a function as nothing', () => {
    expect(scopePathReader(['a'])({ a: () => 0 })).toBeUndefined();
  });
});
