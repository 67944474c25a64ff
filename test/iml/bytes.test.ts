import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BytesEncoding,
  bytesOfText,
  computeTextLength,
  findEncoding,
  textOfBytes,
} from '../../src/iml/values/bytes.js';

const ENCODINGS: readonly BytesEncoding[] = ['utf8', 'hex', 'base64', 'latin1', 'ascii'];
const bytes = fc.uint8Array({ maxLength: 100 });

describe.each(ENCODINGS)('%s', (encoding) => {
  it('writes bytes as Node does', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(textOfBytes(data, encoding)).toBe(Buffer.from(data).toString(encoding));
      }),
    );
  });
  it('reads text as Node does', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        const text =
          encoding === 'utf8' ? `ř😀${String.fromCharCode(0xd800)}` : Buffer.from(data).toString(encoding);
        expect(Buffer.from(bytesOfText(text, encoding) ?? [])).toEqual(Buffer.from(text, encoding));
      }),
    );
  });
});

it.each(['hex', 'base64', 'latin1', 'ascii'] as const)(
  '%s is written the same where there is no Node',
  (encoding) => {
    const { Buffer: own } = globalThis;
    const lists = [[], [0], [0, 1], [0, 1, 2], [250, 251, 252, 253], [255, 255, 255, 255, 255]];
    lists.push(Array.from({ length: 20_000 }, (_, index) => index % 251));
    const expected = lists.map((list) => own.from(list).toString(encoding));
    const written: string[] = [];
    Reflect.deleteProperty(globalThis, 'Buffer');
    try {
      for (const list of lists) written.push(textOfBytes(Uint8Array.from(list), encoding));
    } finally {
      Object.assign(globalThis, { Buffer: own });
    }
    expect(written).toEqual(expected);
  },
);
it('Base64 may lack padding, be broken into lines, or use the URL alphabet', () => {
  for (const text of ['+/8=', '-_8', '+/\r\n8=', ' +/8 = \n']) {
    expect([...(bytesOfText(text, 'base64') ?? [])]).toEqual([0xfb, 0xff]);
  }
});
it.each(['A', 'AAAAA', 'AA=A', 'AA===', 'ř', 'A!A='])('%s is no Base64', (text) => {
  expect(bytesOfText(text, 'base64')).toBeUndefined();
});
it('hex is read in any case', () => expect([...(bytesOfText('aBcD', 'hex') ?? [])]).toEqual([0xab, 0xcd]));
it('names of encodings have aliases and no case', () => {
  expect(findEncoding('UTF-8')).toBe('utf8');
  expect(findEncoding('Binary')).toBe('latin1');
  expect(findEncoding('constructor')).toBeUndefined();
});
it.each(['a', 'a!', '!a', 'abc', 'ř0'])('%s is no hex', (text) => {
  expect(bytesOfText(text, 'hex')).toBeUndefined();
});
it.each([
  ['hex', 3, 6],
  ['base64', 0, 0],
  ['base64', 1, 4],
  ['base64', 3, 4],
  ['base64', 4, 8],
  ['utf8', 5, 5],
  ['latin1', 5, 5],
] as const)('%s of %i bytes has at most %i characters', (encoding, count, length) => {
  expect(computeTextLength(count, encoding)).toBe(length);
});
