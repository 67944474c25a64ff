import { describe, expect, it } from 'vitest';
import { escapeUnsafe } from '../../src/shared/text.js';

/** Between two letters, where a variation selector has no meaning. */
const between = (char: string): string => `x${char}y`;

function listChars(wanted: RegExp): readonly string[] {
  const found: string[] = [];
  for (let code = 0; code <= 0x10_ffff; code++) {
    const char = String.fromCodePoint(code);
    if (wanted.test(char)) found.push(char);
  }
  return found;
}

function keeps(text: string): void {
  expect(escapeUnsafe(text)).toBe(text);
}

describe('an invisible character', () => {
  it('is escaped: all default-ignorable characters', () => {
    const chars = listChars(/\p{Default_Ignorable_Code_Point}/u);
    expect(chars.length).toBeGreaterThan(4000);
    expect(chars.filter((char) => escapeUnsafe(between(char)).includes(char))).toEqual([]);
  });

  it.each([
    ['U+2800', '\u2800'],
    ['U+FFF9', '\ufff9'],
    ['U+13430', '\u{13430}'],
    ['U+13440', '\u{13440}'],
    ['U+16FE4', '\u{16fe4}'],
    ['U+1D159', '\u{1d159}'],
    ['U+2028', '\u2028'],
    ['U+009B', '\u009b'],
  ])('is escaped: %s', (_, char) => {
    expect(escapeUnsafe(between(char))).toMatch(/^x(?:\\u[0-9a-f]{4}){1,2}y$/);
  });

  it('keeps its value in JSON', () => {
    const value = listChars(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u).join('x');
    const text = JSON.stringify({ [value]: value }, null, '\t');
    expect(JSON.parse(escapeUnsafe(text))).toEqual({ [value]: value });
  });
});

describe('a visible character', () => {
  it('is kept: letters, numbers, signs, spaces, line breaks and tabs', () => {
    const seen = listChars(/[\p{L}\p{N}\p{P}\p{S}\p{Zs}\t\n]/u);
    const escaped = seen.filter((char) => escapeUnsafe(between(char)) !== between(char));
    expect(escaped).toEqual(['\u115f', '\u1160', '\u2800', '\u3164', '\uffa0', '\u{1d159}']);
  });

  it.each(['\u06dd', '\u{110bd}', '\u0600', '\u070f', '\u202f', '\u00a0', '\u3000'])('is kept: %j', (char) =>
    keeps(between(char)),
  );
});

describe('a joiner', () => {
  it.each([
    ...['می\u200cخواهم', 'क्\u200dष', 'र\u200d\u094dय', '👩\u200d💻', '🏳\ufe0f\u200d🌈', '👩🏽\u200d⚕\ufe0f'],
    '👨\u200d👩\u200d👧',
  ])('is kept between two joining characters: %s', keeps);

  it.each([
    ['in Latin', 'adm\u200din', 'adm\\u200din'],
    ['between scripts', 'а\u200ddmin', 'а\\u200ddmin'],
    ['in Cyrillic', 'ад\u200dмин', 'ад\\u200dмин'],
    ['behind a mark on Latin', 'e\u0301\u200de', 'e\u0301\\u200de'],
    ['behind the last letter', 'می\u200c ', 'می\\u200c '],
    ['before the first one', '\u200cمی', '\\u200cمی'],
    ['behind another', 'क\u200c\u200dख', 'क\\u200c\\u200dख'],
    ['behind punctuation', '’\u200dक', '’\\u200dक'],
    ['that is none of pictures', '👩\u200c💻', '👩\\u200c💻'],
    ['of a picture and a letter', '👩\u200dक', '👩\\u200dक'],
  ])('is escaped %s', (_, text, expected) => expect(escapeUnsafe(text)).toBe(expected));

  it('is escaped in a sequence of any length', () => {
    const run = '\u200c\u200d'.repeat(24);
    expect(escapeUnsafe(`क${run}ख`)).toBe(`क${'\\u200c\\u200d'.repeat(24)}ख`);
  });
});

describe('a variation selector', () => {
  it.each([
    ...[
      '❤\ufe0f',
      '❤\ufe0e',
      '1\ufe0f\u20e3',
      '©\ufe0f',
      '葛\u{e0100}',
      '𠀀\u{e0101}',
      '葛\ufe00',
      '∩\ufe00',
    ],
    '、\ufe01',
  ])('is kept after a character with variants: %s', keeps);

  it.each([
    ['behind another', '❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
    ['behind one of another kind', '葛\u{e0100}\ufe00', '葛\u{e0100}\\ufe00'],
    ['behind a Latin letter', 'a\ufe01', 'a\\ufe01'],
    ['behind another letter', 'а\ufe01', 'а\\ufe01'],
    ['of ideographs behind a picture', '😀\u{e0120}', '😀\\udb40\\udd20'],
    ['that no sign has', '❤\ufe05', '❤\\ufe05'],
  ])('is escaped %s', (_, text, expected) => expect(escapeUnsafe(text)).toBe(expected));
});
