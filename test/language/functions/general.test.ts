import { describe, expect, it } from 'vitest';
import { createCaseless } from '../../../src/language/values/value.js';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

describe('if and ifempty', () => {
  it('treat empty arrays and collections as true', () => {
    expect(call('if', [], 1, 2)).toBe(1);
    expect(call('if', {}, 1, 2)).toBe(1);
  });
  it.each([0, '', null, undefined, false, Number.NaN])('%j is false', (value) => {
    expect(call('if', value, 1, 2)).toBe(2);
  });
  it('return undefined without an else branch', () => expect(call('if', false, 1)).toBeUndefined());
  it.each([0, false, ' '])('ifempty keeps %j', (value) => expect(call('ifempty', value, 'x')).toBe(value));
  it.each(['', null, undefined])('ifempty replaces %j', (value) => {
    expect(call('ifempty', value, 'x')).toBe('x');
  });
});

describe('switch', () => {
  it('compares as text', () => expect(call('switch', 2, '1', 'a', '2', 'b')).toBe('b'));
  it('returns the unpaired last argument if no case matches', () =>
    expect(call('switch', 'x', 'a', 1, 'else')).toBe('else'));
  it('returns undefined if no case matches', () => expect(call('switch', 'x', 'a', 1)).toBeUndefined());
  it('returns the result of the first matching case', () =>
    expect(call('switch', 'a', 'a', 1, 'a', 2)).toBe(1));
});

describe('get', () => {
  it('counts items from one', () => expect(call('get', ['x', 'y'], 1)).toBe('x'));
  it('treats a number as an item number and text as a path', () => {
    const value = [['a', 'b', 'c', 'd', 'e']];
    expect(call('get', value, 1.5)).toBeUndefined();
    expect(call('get', value, '1.5')).toBe('e');
  });
  it.each(['', null, undefined])('returns undefined at %j', (path) => {
    expect(call('get', { '': 1, null: 2, undefined: 3 }, path)).toBeUndefined();
  });
  it('counts from the end below zero', () => expect(call('get', ['x', 'y'], '-1')).toBe('y'));
  it('follows a dotted path through arrays', () => {
    expect(call('get', { items: [{ id: 10 }, { id: 20 }] }, 'items.2.id')).toBe(20);
  });
  it('prefers a member whose name is the whole path', () =>
    expect(call('get', { 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1));
  it.each([0, 1.5, 'length', '', null, undefined, 'a'])('returns undefined at %j of an array', (path) => {
    expect(call('get', ['x'], path)).toBeUndefined();
  });
  it.each([
    '__proto__',
    'constructor',
    'constructor.name',
    'toString',
    'hasOwnProperty',
    '__proto__.polluted',
  ])('does not read inherited %s', (path) => {
    for (const value of [{}, [], 'text', 1, new Date(0), new Uint8Array(1), null]) {
      expect(call('get', value, path)).toBeUndefined();
    }
  });
});

describe('pick and omit', () => {
  const user = { name: 'Ann', password: 'p' };
  it('do not modify the collection', () => {
    expect(call('omit', user, 'password')).toEqual({ name: 'Ann' });
    expect(call('pick', user, 'password', 'nope')).toEqual({ password: 'p' });
    expect(user).toEqual({ name: 'Ann', password: 'p' });
  });
  it('accept an array of names', () => expect(call('pick', user, ['name'])).toEqual({ name: 'Ann' }));
  it('are case-insensitive if the collection is', () => {
    const headers = createCaseless([['X-Id', 1]]);
    expect(call('pick', headers, 'X-ID')).toEqual({ 'x-id': 1 });
    expect(call('omit', headers, 'X-ID')).toEqual({});
  });
  it('copy a member __proto__', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}');
    const picked = call('pick', hostile, '__proto__') as object;
    expect(Object.keys(picked)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(picked)).toBe(Object.prototype);
  });
  it('omit functions', () => expect(call('omit', { a: () => 1, b: 2 })).toEqual({ b: 2 }));
  it('treat a missing collection as empty', () => expect(call('omit', null, 'a')).toEqual({}));
  it('throw for text', () => {
    expect(errorOf(() => call('pick', 'text', 'a'))).toEqual({
      code: 'IML_FUNCTION',
      message: 'Invalid collection',
    });
  });
});

describe('equal', () => {
  it.each([
    [1, 1, true],
    [1, '1', false],
    [null, undefined, true],
    [null, '', false],
    [new Date(5), new Date(5), true],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: '1' }, false],
    ['[]', [], false],
    [new Uint8Array([1]), new Uint8Array([1]), true],
  ])('equal(%j; %j) is %s', (left, right, expected) => expect(call('equal', left, right)).toBe(expected));
  it('a circular value equals itself', () => {
    const own: unknown[] = [];
    own.push(own);
    expect(call('equal', own, own)).toBe(true);
  });
});

describe('createJSON', () => {
  it.each([
    [{ a: 1, b: [true, null, undefined, 'x"'], c: undefined }, '{"a":1,"b":[true,null,null,"x\\""]}'],
    [{ at: new Date(0), bad: new Date(Number.NaN) }, '{"at":"1970-01-01T00:00:00.000Z","bad":null}'],
    [[Number.NaN, Infinity, -0], '[null,null,0]'],
    [new Uint8Array([0x68, 0x69]), '"hi"'],
    [createCaseless([['A', 1]]), '{"a":1}'],
    ['\u2028', '"\u2028"'],
    [null, 'null'],
    [[[], {}], '[[],{}]'],
    [JSON.parse('{"__proto__": 1}'), '{"__proto__":1}'],
    [new Map([['a', 1]]), '{}'],
  ])('converts %o', (value, text) => expect(call('createJSON', value)).toBe(text));

  it.each([undefined, () => 1])('returns undefined for %s', (value) =>
    expect(call('createJSON', value)).toBeUndefined(),
  );
  it('does not call functions in data', () => {
    const trap = () => {
      throw new Error('called');
    };
    expect(
      call(
        'createJSON',
        Object.fromEntries([
          ['toJSON', trap],
          ['a', [trap]],
          ['then', trap],
        ]),
      ),
    ).toBe('{"a":[null]}');
  });
  it('throws for a circular value', () => {
    const value: Record<string, unknown> = { list: [] };
    (value['list'] as unknown[]).push(value);
    expect(errorOf(() => call('createJSON', value))).toEqual({
      code: 'IML_FUNCTION',
      message: 'Circular reference.',
    });
  });
  it('accepts repeated references', () => {
    const part = { a: 1 };
    expect(call('createJSON', [part, part])).toBe('[{"a":1},{"a":1}]');
  });
  it('accepts repeated references in deep data', () => {
    const part = { a: [] };
    const within = (depth: number): unknown => {
      let value: unknown = [part, part, [part]];
      for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value];
      return value;
    };
    for (const depth of [60, 62, 63, 64, 65, 66, 200])
      expect(call('createJSON', within(depth))).toBe(JSON.stringify(within(depth)));
  });
  it('throws for a deep circular reference', () => {
    const value: unknown[] = [];
    let last = value;
    for (let level = 0; level < 100; level++) {
      const next: unknown[] = [];
      last.push(next);
      last = next;
    }
    last.push(value[0]);
    expect(errorOf(() => call('createJSON', value))?.message).toBe('Circular reference.');
  });
  it.each([4095, 4096, 4097, 9000, 70_000])(
    'quotes text of %i UTF-16 units like JSON.stringify',
    (length) => {
      const text = 'a"\n😀\u2028\u0000\\'.repeat(length).slice(-length);
      expect(call('createJSON', [text])).toBe(JSON.stringify([text]));
    },
  );
  it('accepts any depth', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(call('createJSON', call('parseJSON', text))).toBe(text);
  });
  it('throws IML_LIMIT for exponentially repeated references', () => {
    let value: unknown = 'x'.repeat(100_000);
    for (let depth = 0; depth < 60; depth++) value = [value, value];
    expect(errorOf(() => call('createJSON', value))?.code).toBe('IML_LIMIT');
  });
});

describe('parseJSON', () => {
  it('skips a byte order mark', () => expect(call('parseJSON', '\uFEFF[1]')).toEqual([1]));
  it('parses a buffer', () => expect(call('parseJSON', new Uint8Array([0x5b, 0x5d]))).toEqual([]));
  it('returns null for null', () => expect(call('parseJSON', null)).toBeNull());
  it('creates an own member __proto__', () => {
    const value = call('parseJSON', '{"__proto__": {"a": 1}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
  it.each(['', '{oops', '[1,]', 'undefined'])('throws the message of the parser for %j', (text) => {
    const error = errorOf(() => call('parseJSON', text));
    expect(error?.code).toBe('IML_FUNCTION');
    expect(error?.message).toMatch(/^(?:Unexpected|Expected|"undefined") .*JSON/);
  });
});
