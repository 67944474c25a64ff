import { describe, expect, it } from 'vitest';
import { coerceText, encodeText } from '../../src/engine/parameters/convert-value.js';
import { type ParameterSpec, parseForm as readParameters } from '../../src/engine/parameters/index.js';

const hex = (text: string, codepage: string) => {
  const bytes = encodeText(text, codepage);
  return bytes && Buffer.from(bytes).toString('hex');
};

describe('encodeText', () => {
  it.each<[string, string, string | undefined]>([
    ['č', 'utf8', 'c48d'],
    ['č', 'UTF-8', 'c48d'],
    ['č', 'utf-16le', '0d01'],
    ['č', 'windows-1250', 'e8'],
    ['č', 'ISO_8859-2', 'e8'],
    ['я', 'koi8-r', 'd1'],
    ['я', 'windows-1251', 'ff'],
    ['é', 'latin1', 'e9'],
    ['\u0080', 'binary', '80'],
    ['€', 'latin1', undefined],
    ['漢', 'windows-1250', undefined],
    ['a', 'shift_jis', undefined],
    ['a', 'klingon', undefined],
    ['', 'windows-1250', ''],
  ])('%s in %s', (text, codepage, bytes) => {
    expect(hex(text, codepage)).toBe(bytes);
  });
});

function field(type: string, more: object = {}): ParameterSpec {
  const [element] = readParameters([{ name: 'x', type, ...more }]).elements;
  if (element?.kind !== 'parameter') throw new Error('No parameter was read.');
  return element;
}

describe('coerceText', () => {
  it.each<[string, string, unknown]>([
    ['integer', '5', 5],
    ['number', ' 1.5 ', 1.5],
    ['number', 'abc', 'abc'],
    ['number', '', ''],
    ['port', '0x1', '0x1'],
    ['boolean', 'true', true],
    ['boolean', 'No', false],
    ['boolean', '1', true],
    ['boolean', '0', false],
    ['boolean', 'maybe', 'maybe'],
    ['array', '["a"]', ['a']],
    ['array', '{"a":1}', '{"a":1}'],
    ['array', 'a', 'a'],
    ['collection', '{"a":1}', { a: 1 }],
    ['collection', '[1]', '[1]'],
    ['collection', 'null', 'null'],
    ['filter', '[[{"a":"n","o":"eq"}]]', [[{ a: 'n', o: 'eq' }]]],
    ['any', '[1]', [1]],
    ['any', 'word', 'word'],
    ['json', '{"a":1}', '{"a":1}'],
    ['text', '5', '5'],
    ['select', '5', '5'],
    ['date', '2024-01-01', '2024-01-01'],
    ['date', '1704164645', new Date('2024-01-02T03:04:05.000Z')],
    ['date', '1704164645000', new Date('2024-01-02T03:04:05.000Z')],
    ['date', '2024', '2024'],
  ])('%s %s', (type, text, value) => {
    expect(coerceText(field(type), text)).toEqual(value);
  });

  it('parses JSON for a multiple select', () => {
    expect(coerceText(field('select', { multiple: true }), '["a","b"]')).toEqual(['a', 'b']);
  });

  it.each<[string, unknown]>([
    ['5', 5],
    ['{"a":[true]}', { a: [true] }],
    ['null', null],
    ['"5"', '5'],
    ['hello', 'hello'],
    ['', ''],
    ['12345678901234567890', '12345678901234567890'],
  ])('without a field: %s', (text, value) => {
    expect(coerceText(undefined, text)).toEqual(value);
  });

  it('never changes a prototype', () => {
    const value = coerceText(undefined, '{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  });
});
