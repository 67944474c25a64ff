import { describe, expect, it } from 'vitest';
import { createCaseless } from '../../../src/iml/values/collection.js';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

describe('if and ifempty', () => {
  it('an empty array and an empty collection are true', () => {
    expect(call('if', [], 1, 2)).toBe(1);
    expect(call('if', {}, 1, 2)).toBe(1);
  });
  it.each([0, '', null, undefined, false, Number.NaN])('%j is false', (value) => {
    expect(call('if', value, 1, 2)).toBe(2);
  });
  it('a missing else branch gives undefined', () => expect(call('if', false, 1)).toBeUndefined());
  it.each([0, false, ' '])('ifempty keeps %j', (value) => expect(call('ifempty', value, 'x')).toBe(value));
  it.each(['', null, undefined])('ifempty replaces %j', (value) => {
    expect(call('ifempty', value, 'x')).toBe('x');
  });
});

describe('switch', () => {
  it('compares as text', () => expect(call('switch', 2, '1', 'a', '2', 'b')).toBe('b'));
  it('gives the leftover argument where nothing fits', () =>
    expect(call('switch', 'x', 'a', 1, 'else')).toBe('else'));
  it('gives nothing without one', () => expect(call('switch', 'x', 'a', 1)).toBeUndefined());
  it('takes the first of equal values', () => expect(call('switch', 'a', 'a', 1, 'a', 2)).toBe(1));
});

describe('get', () => {
  it('counts items from one', () => expect(call('get', ['x', 'y'], 1)).toBe('x'));
  it('takes a number for one item, and a text for a path', () => {
    const value = [['a', 'b', 'c', 'd', 'e']];
    expect(call('get', value, 1.5)).toBeUndefined();
    expect(call('get', value, '1.5')).toBe('e');
  });
  it.each(['', null, undefined])('finds nothing at %j', (path) => {
    expect(call('get', { '': 1, null: 2, undefined: 3 }, path)).toBeUndefined();
  });
  it('counts from the end below zero', () => expect(call('get', ['x', 'y'], '-1')).toBe('y'));
  it('follows a dotted path through arrays', () => {
    expect(call('get', { items: [{ id: 10 }, { id: 20 }] }, 'items.2.id')).toBe(20);
  });
  it('prefers a member named as the whole path', () =>
    expect(call('get', { 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1));
  it.each([0, 1.5, 'length', '', null, undefined, 'a'])('finds nothing at %j of an array', (path) => {
    expect(call('get', ['x'], path)).toBeUndefined();
  });
  it.each([
    '__proto__',
    'constructor',
    'constructor.name',
    'toString',
    'hasOwnProperty',
    '__proto__.polluted',
  ])('does not reach %s', (path) => {
    for (const value of [{}, [], 'text', 1, new Date(0), new Uint8Array(1), null]) {
      expect(call('get', value, path)).toBeUndefined();
    }
  });
});

describe('pick and omit', () => {
  const user = { name: 'Ann', password: 'p' };
  it('leave the collection alone', () => {
    expect(call('omit', user, 'password')).toEqual({ name: 'Ann' });
    expect(call('pick', user, 'password', 'nope')).toEqual({ password: 'p' });
    expect(user).toEqual({ name: 'Ann', password: 'p' });
  });
  it('take an array of names, too', () => expect(call('pick', user, ['name'])).toEqual({ name: 'Ann' }));
  it('ignore case where the collection does', () => {
    const headers = createCaseless([['X-Id', 1]]);
    expect(call('pick', headers, 'X-ID')).toEqual({ 'x-id': 1 });
    expect(call('omit', headers, 'X-ID')).toEqual({});
  });
  it('keep __proto__ an ordinary member', () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}');
    const picked = call('pick', hostile, '__proto__') as object;
    expect(Object.keys(picked)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(picked)).toBe(Object.prototype);
  });
  it('leave functions out', () => expect(call('omit', { a: () => 1, b: 2 })).toEqual({ b: 2 }));
  it('count a missing collection as empty', () => expect(call('omit', null, 'a')).toEqual({}));
  it('refuse text', () => {
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
  it('what holds itself is equal to itself', () => {
    const own: unknown[] = [];
    own.push(own);
    expect(call('equal', own, own)).toBe(true);
  });
});
