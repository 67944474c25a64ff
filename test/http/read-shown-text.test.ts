import { describe, expect, it } from 'vitest';
import { readShownText } from '../../src/engine/http/body/decode-body.js';

const ascii = 'ab'.repeat(16);
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const bigEndian = (text: string): Buffer => utf16(text).swap16();
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);

describe('bytes are the text they are', () => {
  it.each<[string, Buffer, string | undefined, string]>([
    ['UTF-8', Buffer.from('žluť 😀'), undefined, 'žluť 😀'],
    ['nothing', bytes(), undefined, ''],
    ['one letter', bytes(0x61), undefined, 'a'],
    ['by charset', bytes(0x61, 0xe9), 'windows-1252', 'aé'],
    ['UTF-8 by another name', Buffer.from('é'), 'UTF8', 'é'],
    ['with a charset that nobody knows, as UTF-8', Buffer.from('é'), 'klingon', 'é'],
    ['with the mark of UTF-8', Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from('a')]), undefined, 'a'],
    ['with the mark of UTF-16, least first', Buffer.concat([bytes(0xff, 0xfe), utf16('é€')]), 'utf-8', 'é€'],
    [
      'with the mark of UTF-16, most first',
      Buffer.concat([bytes(0xfe, 0xff), bigEndian('é€')]),
      'utf-8',
      'é€',
    ],
    ['UTF-16 without a mark, least first', utf16(ascii), 'utf-8', ascii],
    ['UTF-16 without a mark, most first', bigEndian(ascii), undefined, ascii],
    ['UTF-16 of which an eighth is English, least first', utf16(`a${'€'.repeat(3)}b`), undefined, 'a€€€b'],
    [
      'UTF-16 with zeros behind what is looked at',
      Buffer.concat([utf16('a'.repeat(256)), utf16('Ā')]),
      undefined,
      `${'a'.repeat(256)}Ā`,
    ],
  ])('%s', (_what, given, charset, expected) => {
    expect(readShownText(given, charset)).toBe(expected);
  });

  it.each([
    ['UTF-8', Buffer.from('a€').subarray(0, 3), 'a'],
    ['UTF-16', Buffer.concat([bytes(0xff, 0xfe), utf16('ab'), bytes(0x63)]), 'ab'],
  ])('without a character of which they hold a part: %s', (_what, given, expected) => {
    expect(readShownText(given, undefined)).toBe(expected);
  });
});

describe('bytes are no text', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['that are no UTF-8', bytes(0x61, 0xff, 0x62), undefined],
    ['that are cut off inside of UTF-8', bytes(0xe2, 0x82, 0x61), undefined],
    ['that are not of their charset', bytes(0x81, 0x20), 'shift_jis'],
    ['with a zero', Buffer.from(`${'a'.repeat(40)}\0b`), undefined],
    ['with zeros at every place', bytes(0, 0, 0x61, 0x62, 0, 0, 0x63, 0x64), undefined],
    ['with zeros at one place, but not at an eighth', Buffer.from(`${'ab'.repeat(8)}a\0a\0`), undefined],
    [
      'with zeros at the other place, but not at an eighth',
      Buffer.from(`${'ab'.repeat(8)}\0b\0b`),
      undefined,
    ],
    [
      'with zeros behind what is looked at only',
      Buffer.concat([Buffer.from('a'.repeat(512)), utf16(ascii)]),
      undefined,
    ],
    ['with half a pair of UTF-16', Buffer.concat([bytes(0xff, 0xfe, 0x00, 0xd8), utf16('a')]), undefined],
  ])('%s', (_what, given, charset) => {
    expect(readShownText(given, charset)).toBeUndefined();
  });
});
