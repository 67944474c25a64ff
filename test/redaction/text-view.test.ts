import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodedView,
  endIn,
  hexUnits,
  hexView,
  mayHoldHex,
  plainView,
  readView,
  startIn,
  undoEscapes,
} from '../../src/redaction/text-view.js';
import { portionsOf } from '../iml/portions.js';

/** What the view reads, and the stretch of the text that each unit of it comes from. */
function decode(text: string): { readonly read: string; readonly from: readonly string[] } | undefined {
  const view = decodedView(plainView(text), text);
  if (view === undefined) return undefined;
  const from = Array.from(view.units, (_, index) => text.slice(startIn(view, index), endIn(view, index)));
  return { read: readView(view), from };
}

describe('escapes that are undone', () => {
  it.each([
    ['a%41b', 'aAb', ['a', '%41', 'b']],
    ['%c3%b6', 'ö', ['%c3%b6']],
    ['%e2%82%ac', '€', ['%e2%82%ac']],
    ['\\xF0\\x9F\\x98\\x80!', '\u{1f600}!', ['\\xF0\\x9F\\x98\\x80', '\\xF0\\x9F\\x98\\x80', '!']],
    ['%c2%80', '\x80', ['%c2%80']],
    // No UTF-8: bytes of Latin-1.
    ['%c1%81', 'Á\x81', ['%c1', '%81']],
    ['%c3', 'Ã', ['%c3']],
    ['%c3%41', 'ÃA', ['%c3', '%41']],
    ['%e2%82%41', 'â\x82A', ['%e2', '%82', '%41']],
    ['%e2%41%82', 'âA\x82', ['%e2', '%41', '%82']],
    ['%df%bf%e0', '\u07ffà', ['%df%bf', '%e0']],
    ['%f5%80%80%80', 'õ\x80\x80\x80', ['%f5', '%80', '%80', '%80']],
    ['\\u00e9\\n\\q', 'é\nq', ['\\u00e9', '\\n', '\\q']],
    ['%u0041', 'A', ['%u0041']],
    ['&amp;&#65;&#x42;&LT;', '&AB<', ['&amp;', '&#65;', '&#x42;', '&LT;']],
    [
      '&auml;&Auml;&frac14;&AUML;',
      'äÄ¼&AUML;',
      ['&auml;', '&Auml;', '&frac14;', '&', 'A', 'U', 'M', 'L', ';'],
    ],
    ['&ampxyz;', '&xyz;', ['&amp', 'x', 'y', 'z', ';']],
    ['&LTD;&ltimes;', '<D;<imes;', ['&LT', 'D', ';', '&lt', 'i', 'm', 'e', 's', ';']],
    ['&ampabcdefgh;', '&abcdefgh;', ['&amp', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', ';']],
    ['&#1114112;', '\ufffd', ['&#1114112;']],
    ['a=\r\nb=\nc', 'abc', ['a', 'b', 'c']],
    ['a\0b', 'ab', ['a', 'b']],
  ])('%j is %j', (text, read, from) => {
    expect(decode(text)).toEqual({ read, from });
    expect(undoEscapes(text)).toBe(read);
  });

  it.each(['', 'plain', '100 % sure', '&nothing;', 'a = b', 'a=\rb'])('%j holds none', (text) => {
    expect(decode(text)).toBeUndefined();
    expect(undoEscapes(text)).toBeUndefined();
  });

  const piece = fc.constantFrom(
    '%',
    '4',
    '1',
    'c3',
    'b6',
    '\\',
    'x',
    'u',
    '00',
    'e9',
    '&',
    '#',
    'amp',
    ';',
    '=',
    '\n',
    '\r',
    '\0',
    'ö',
  );
  it.each(portionsOf(100, 25))('read the same with and without their places, $seed', (portion) => {
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (each) => {
        expect(decode(each)?.read).toBe(undoEscapes(each));
      }),
      portion,
    );
  });
});

it.each([
  ['0a1b2c3d4e5f', true],
  ['0A 1B:2C-3d 4e,5f', true],
  ['0x0a,0x1b,0x2c,0x3d,0x4e,0x5f', true],
  ['0a\u00a01b\u200b2c","3d\',\'4e5f', true],
  ['0a1b2c3d4e5', false],
  ['0a1b2cg3d4e5f', false],
  ['plain text', false],
])('%j may hold six bytes as hex: %s', (text, expected) => {
  expect(mayHoldHex(text, 6)).toBe(expected);
  expect([...hexUnits(text)]).toEqual([...hexView(plainView(text)).units]);
});
