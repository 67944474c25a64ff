import { describe, expect, it } from 'vitest';
import { JSON_FUNCTIONS } from '../../../src/iml/functions/json.js';
import { createCaseless } from '../../../src/iml/values/caseless.js';
import { withinSteps } from '../../../src/iml/values/work.js';
import { callFunction, errorOf, stepsOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(JSON_FUNCTIONS, name, ...args);

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
      message: 'The value holds itself.',
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
    expect(errorOf(() => call('createJSON', value))?.message).toBe('The value holds itself.');
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

describe('the work of parseJSON', () => {
  const stepsOfReading = (text: string): number => stepsOf(() => call('parseJSON', text));
  const filled = (text: string, length: number): string => text + ' '.repeat(length - text.length);

  const length = 16_385;

  it.each([
    ['a list', '[1,2,3]', 8 + 2 * 3],
    ['collections', '{"a":1,"b":[]}', 2 * 8 + 3 + 2 * 24],
    ['signs of a text as no more than that', '"[[,,{{"', 10],
    ['lists in a list', '[[],[]]', 3 * 8 + 3],
  ])('is counted by what is in a long text: %s', (_title, text, steps) => {
    expect(stepsOfReading(filled(text, length)) - stepsOfReading(filled('0', length))).toBe(steps);
    expect(stepsOfReading(filled(text, length - 1))).toBe(stepsOfReading(filled('0', length - 1)));
  });

  it('is counted wherever it stands', () => {
    const none = stepsOfReading(filled('0', length));
    expect(stepsOfReading(`[1${' '.repeat(length - 5)},2]`) - none).toBe(8 + 3);
  });

  // The host tells longer names apart by looking at all that have their length.
  it.each([
    ['as they are', 'x'.repeat(17_000), ''],
    ['with something escaped inside', `${'x'.repeat(8_500)}\\"${'x'.repeat(8_498)}`, ''],
    ['with space behind', 'x'.repeat(17_000), ' \n\r\t'],
  ])('grows with each name of more than 16,000 characters: %s', (_title, name, space) => {
    const names = ['a', 'b', 'c'].map((last) => `"${name}${last}"${space}`);
    const asNames = `{${names.map((text) => `${text}:1`).join()}}`;
    const asTexts = `[${names.map((text) => `${text},1`).join()}]`;
    const more = stepsOfReading(asNames) - stepsOfReading(asTexts) + 3 * names.length;
    // The second is held against one, the third against two.
    expect(more / (0.01 * 17_001 * (1 + 2))).toBeCloseTo(1, 1);
  });

  it('does not grow as fast with names that the host tells apart by themselves', () => {
    const names = ['a', 'b', 'c'].map((last) => `"${'x'.repeat(15_990)}${last}"`);
    const asNames = `{${names.map((text) => `${text}:1`).join()}}`;
    const asTexts = `[${names.map((text) => `${text},1`).join()}]`;
    expect(stepsOfReading(asNames) - stepsOfReading(asTexts)).toBe(names.length * (24 - 3));
  });

  // The host looks each up in a table of all it has, and adds it where it is new.
  it.each<[string, (text: string) => string, number]>([
    ['name', (text) => `{"${text}":0}`, 24],
    ['name with space behind', (text) => `{"${text}"\n\t :0}`, 24],
    ['long name', (text) => `{"${'x'.repeat(100)}${text}":0}`, 24],
    ['text of up to ten characters', (text) => `["xxxxxx${text}"]`, 10],
    ['text of more', (text) => `["xxxxxxx${text}"]`, 0],
  ])('grows with each that was not met before: %s', (_title, write, steps) => {
    const stepsOfItems = (names: readonly string[]): number =>
      stepsOfReading(filled(`[${names.map(write).join(',')}]`, 100_000));
    const names = Array.from({ length: 60 }, (_, index) => `\\"${index + 10}`);
    const alike = names.map(() => '\\"10');
    expect(stepsOfItems(names) - stepsOfItems(alike)).toBe(steps * (names.length - 1));
    expect(stepsOfItems([...names, ...names]) - stepsOfItems(names)).toBe(names.length * (8 + 3));
  });

  it('grows with each of many, more than have a place of their own', () => {
    const names = Array.from({ length: 33_000 }, (_, index) => `"n${index}":0`);
    const read = (): unknown => call('parseJSON', `{${names.join()}}`);
    expect(() => withinSteps((24 + 3) * names.length, read)).toThrow('limits.maxSteps');
  });
});
