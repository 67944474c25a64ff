import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFileName } from '../../src/shared/files.js';

describe('toFileName', () => {
  it.each([
    ['getBook', 'getBook'],
    ['get-book_2.v1', 'get-book_2.v1'],
    ['kniha č', 'kniha č'],
    ['../../.ssh/x', '_.._.ssh_x'],
    ['..', '_'],
    ['', '_'],
    ['a\\..\\b', 'a_.._b'],
    ['C:evil. ', 'C_evil'],
    ['a\u0000b\nc\u202ed', 'a_b_c_d'],
    ['a\ud800b😀', 'a_b😀'],
    ['nul.txt', '_nul.txt'],
    ['č'.repeat(300), 'č'.repeat(100)],
  ])('%j is %s', (name, expected) => {
    expect(toFileName(name)).toBe(expected);
  });

  it('takes linear time for a long run of dots', () => {
    expect(toFileName(`a${'. '.repeat(500_000)}b`)).toHaveLength(200);
  });

  it('stays inside of its folder for any input', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '.', '/', '\\', '\0', ' ', '\u202e', 'ž', ':') });
    fc.assert(
      fc.property(name, (text) => {
        expect(path.dirname(path.resolve('/tests', toFileName(text)))).toBe('/tests');
      }),
    );
  });
});
