import { describe, expect, it } from 'vitest';
import { createCaseless } from '../../../src/iml/values/collection.js';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

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
  ])('writes %o', (value, text) => expect(call('createJSON', value)).toBe(text));

  it.each([undefined, () => 1])('%s has none', (value) => expect(call('createJSON', value)).toBeUndefined());
  it('functions in data are not called', () => {
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
  it('a value that holds itself', () => {
    const value: Record<string, unknown> = { list: [] };
    (value['list'] as unknown[]).push(value);
    expect(errorOf(() => call('createJSON', value))).toEqual({
      code: 'IML_FUNCTION',
      message: 'Circular reference.',
    });
  });
  it('parts that stand twice are written twice', () => {
    const part = { a: 1 };
    expect(call('createJSON', [part, part])).toBe('[{"a":1},{"a":1}]');
  });
  it('parts that stand twice, and deep', () => {
    const part = { a: [] };
    const within = (depth: number): unknown => {
      let value: unknown = [part, part, [part]];
      for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value];
      return value;
    };
    for (const depth of [60, 62, 63, 64, 65, 66, 200])
      expect(call('createJSON', within(depth))).toBe(JSON.stringify(within(depth)));
  });
  it('what holds itself far inside', () => {
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
  it.each([4095, 4096, 4097, 9000, 70_000])('a text of %i units is quoted as the host does it', (length) => {
    const text = 'a"\n😀\u2028\u0000\\'.repeat(length).slice(-length);
    expect(call('createJSON', [text])).toBe(JSON.stringify([text]));
  });
  it('any depth', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(call('createJSON', call('parseJSON', text))).toBe(text);
  });
  it('shared parts that multiply are a limit', () => {
    let value: unknown = 'x'.repeat(100_000);
    for (let depth = 0; depth < 60; depth++) value = [value, value];
    expect(errorOf(() => call('createJSON', value))?.code).toBe('IML_LIMIT');
  });
});

describe('parseJSON', () => {
  it('reads past a byte order mark', () => expect(call('parseJSON', '\uFEFF[1]')).toEqual([1]));
  it('reads a buffer', () => expect(call('parseJSON', new Uint8Array([0x5b, 0x5d]))).toEqual([]));
  it('null stays null', () => expect(call('parseJSON', null)).toBeNull());
  it('keeps __proto__ an ordinary member', () => {
    const value = call('parseJSON', '{"__proto__": {"a": 1}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
  it.each(['', '{oops', '[1,]', 'undefined'])('%j is no JSON', (text) => {
    const error = errorOf(() => call('parseJSON', text));
    expect(error?.code).toBe('IML_FUNCTION');
    expect(error?.message).toMatch(/^Invalid JSON: /);
  });
});
