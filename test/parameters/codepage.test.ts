import { describe, expect, it } from 'vitest';
import { encodeText } from '../../src/parameters/values/convert-value.js';

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
