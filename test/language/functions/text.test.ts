import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { functions } from '../../../src/language/index.js';
import { callFunction, ENVIRONMENT, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);

it.each([
  ['ascii', ['Łódź Straße', true], 'Lodz Strasse'],
  ['ascii', ['ěščřž', 'false'], ''],
  ['capitalize', ['𐐨bc'], '𐐀bc'],
  ['capitalize', [''], ''],
  ['contains', ['Hello', 'hello', true], true],
  ['contains', [null, 'x'], false],
  ['contains', [[1, 2], '1'], false],
  ['contains', [['A'], 'a', true], true],
  ['contains', [['A', 'b'], 'c', true], false],
  ['contains', [['ß'], 'SS', true], false],
  ['contains', [[{ a: 1 }], { a: 1 }], true],
  ['contains', [[undefined], null], true],
  ['encodeURL', ["a b&c=d/é!'()*~"], "a%20b%26c%3Dd%2F%C3%A9!'()*~"],
  ['encodeURL', ['\uD800'], '%EF%BF%BD'],
  ['indexOf', ['abc', 'z'], -1],
  ['length', [null], 0],
  ['length', ['😀'], 2],
  ['length', [12345], 5],
  ['length', [{ a: 1, b: 2 }], 2],
  ['length', [new Uint8Array(3)], 3],
  ['lower', [null], null],
  ['lower', [undefined], undefined],
  ['lower', [true], 'true'],
  ['startcase', ["o'NEIL (jean) ÉCOLE"], "O'neil (Jean) École"],
  ['substring', ['Hello', 3, 1], 'el'],
  ['substring', ['Hello', -5], 'Hello'],
  ['trim', ['\u00A0 a \n'], 'a'],
  ['split', ['a1b', 1], ['a', 'b']],
  ['split', ['a😀', ''], ['a', '😀']],
  ['split', ['a'], ['a']],
  ['split', [null, ','], null],
  ['mime', ['a/b.c/Photo.JPG'], 'image/jpeg'],
  ['mime', ['noextension'], undefined],
  ['mime', ['a.constructor'], undefined],
])('%s(%j) is %j', (name, args, expected) => expect(call(name, ...args)).toEqual(expected));

describe('replace', () => {
  it.each([
    [['a.b.c', '.', '-'], 'a-b-c'],
    [['price', 'price', '$& $1 $$'], '$& $1 $$'],
    [['abc', '', 'x'], 'abc'],
    [['abc', null, 'x'], 'abc'],
    [['abc', 'b', null], 'ac'],
    [['/a/b/c', '/a/b', ''], '/c'],
    [['ab/g', 'ab/g', 'x'], 'x'],
    [['ab/g', '/ab', 'x'], 'ab/g'],
    [['a//b', '//', '/'], 'a/b'],
    [['aXbX', '/x/gi', '-'], 'a-b-'],
    [['a/b', '/[/]/', '-'], 'a-b'],
    [[null, 'a', 'b'], null],
  ])('replace(%j) is %j', (args, expected) => expect(call('replace', ...args)).toBe(expected));
});

describe('replaceEmojiCharacters', () => {
  it.each([
    ['👩‍👩‍👧', 'family'],
    ['👍🏽', 'skin tone'],
    ['🇨🇿', 'flag'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'flag of a region'],
    ['1️⃣', 'keycap'],
    ['❤️', 'picture of a symbol'],
    ['©️', 'picture of a letterlike symbol'],
    ['🏃‍♀️', 'person with a sign'],
  ])('replaces %s (%s) as one emoji', (emoji) =>
    expect(call('replaceEmojiCharacters', `a${emoji}b`, '-')).toBe('a-b'),
  );
  it.each(['© 2024 ™', '1#*', 'ěščř', '❤\uFE0E', '→'])('keeps %s', (text) => {
    expect(call('replaceEmojiCharacters', text, '-')).toBe(text);
  });
});

describe('invalid arguments', () => {
  it('decodeURL throws for invalid percent-encoding', () => {
    expect(errorOf(() => call('decodeURL', '%E0%A4%A'))).toEqual({
      code: 'IML_FUNCTION',
      message: "'%E0%A4%A' is not percent-encoded text.",
    });
  });
  it('substring throws for a start that is not a number', () =>
    expect(errorOf(() => call('substring', 'abc', 'x'))?.code).toBe('IML_FUNCTION'));
});

describe('a long result', () => {
  const big = 'a'.repeat(10_000_000);
  it.each([
    ['replace', [big, 'a', 'b'.repeat(100)]],
    ['replaceEmojiCharacters', ['😀'.repeat(1000), 'b'.repeat(1_000_000)]],
    ['encodeURL', ['é'.repeat(12_000_000)]],
    ['split', [big, '']],
  ])('of %s throws IML_LIMIT', (name, args) =>
    expect(errorOf(() => call(name, ...args))?.code).toBe('IML_LIMIT'),
  );
});

it('split accepts a long separator', () => {
  const split = (...args: unknown[]): unknown =>
    functions['split']?.({ ...ENVIRONMENT, semantics: 'documented' }, ...args);
  const separator = 'ab'.repeat(200);
  const parts = ['', 'a', 'ab'.repeat(150), 'b', ''];
  expect(split(parts.join(separator), separator)).toEqual(parts.join(separator).split(separator));
  expect(split(`c${separator}d${separator}`, separator)).toEqual(['c', 'd', '']);
  expect(split('ab'.repeat(199), separator)).toEqual(['ab'.repeat(199)]);
});

const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

describe('text search', () => {
  it('has the result of String.prototype.indexOf for random needles', () => {
    const cases = fc.record({
      before: letters(40),
      period: letters(4).filter((text) => text !== ''),
      times: fc.integer({ min: 0, max: 200 }),
      tail: letters(3),
      after: letters(40),
      from: fc.integer({ min: -3, max: 60 }),
    });
    fc.assert(
      fc.property(cases, ({ before, period, times, tail, after, from }) => {
        const needle = period.repeat(times) + tail;
        const text = `${before}${period.repeat(times + 2)}${tail}${after}`;
        expect(call('indexOf', text, needle, from)).toBe(text.indexOf(needle, from));
        expect(call('indexOf', text, `${needle}c`, from)).toBe(-1);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([255, 256, 257, 258])('finds a needle of %i UTF-16 units', (length) => {
    const needle = `${'a'.repeat(length - 2)}ba`;
    const text = `${'a'.repeat(999)}ba${'a'.repeat(999)}ba`;
    expect([0, 1000, 1900].map((from) => call('indexOf', text, needle, from))).toEqual([
      text.indexOf(needle),
      text.indexOf(needle, 1000),
      -1,
    ]);
  });
});

it.each([
  ['a.png', 'image/png'],
  ['a.JPG', 'image/jpeg'],
  ['a.tar.gz', 'application/gzip'],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.csv', 'text/csv'],
  ['a.html', 'text/html'],
  ['a.json', 'application/json'],
  ['a.mp3', 'audio/mpeg'],
  ['a.mp4', 'video/mp4'],
  ['a.woff2', 'font/woff2'],
  ['.svg', 'image/svg+xml'],
  ['a.', undefined],
  ['', undefined],
  ['png', undefined],
  ['a.jsonl', 'application/x-ndjson'],
  ['a.png/b', undefined],
  ['a.toString', undefined],
])('mime(%s) is %s', (fileName, type) => expect(call('mime', fileName)).toBe(type));
