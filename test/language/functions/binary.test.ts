import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callFunction, errorOf } from './call-function.js';

const call = (name: string, ...args: unknown[]) => callFunction(name, ...args);
const bytes = (...values: number[]) => Uint8Array.from(values);

describe('digests', () => {
  it('md5 returns hex', () => expect(call('md5', 'Make')).toBe('529a05ca6c1263aab080ec4f20754411'));
  it('a buffer is hashed without conversion', () =>
    expect(call('sha1', bytes(0xff))).toBe('85e53271e14006f0265921d02d4d736cdc580b0b'));
  it.each(['sha1', 'sha256', 'sha512'])('%s accepts keys in every encoding', (name) => {
    const expected = createHmac(name, 'key').update('data').digest('hex');
    expect(call(name, 'data', 'hex', 'key')).toBe(expected);
    expect(call(name, 'data', '', 'key', 'text')).toBe(expected);
    expect(call(name, 'data', undefined, '6b6579', 'hex')).toBe(expected);
    expect(call(name, 'data', 'hex', 'a2V5', 'base64')).toBe(expected);
    expect(call(name, 'data', 'hex', bytes(0x6b, 0x65, 0x79), 'binary')).toBe(expected);
  });
  it('an empty key means no key', () => expect(call('sha256', 'a', 'hex', '')).toBe(call('sha256', 'a')));
  it('the digest of null is null', () => expect(call('sha256', null)).toBeNull());
  it.each(['base64', 'md5', 'sha1', 'toBinary', 'toString'])('%s of undefined is undefined', (name) => {
    expect(call(name, undefined)).toBeUndefined();
  });
  it('latin1 has one character per byte', () =>
    expect((call('sha256', 'a', 'latin1') as string).length).toBe(32));
  it('an unknown encoding throws and is truncated in the message', () => {
    expect(errorOf(() => call('sha256', 'a', 'rot13'))?.message).toBe("'rot13' is not a known encoding.");
    const longest = 'x'.repeat(80);
    expect(errorOf(() => call('sha256', 'a', longest))?.message).toBe(
      `'${longest}' is not a known encoding.`,
    );
    expect(errorOf(() => call('sha256', 'a', `${longest}y`))?.message).toBe(
      `'${longest}...' is not a known encoding.`,
    );
  });
});

describe('text and bytes', () => {
  it.each([
    [['é'], [0xc3, 0xa9]],
    [
      ['c3a9', 'hex'],
      [0xc3, 0xa9],
    ],
    [
      ['w6k', 'base64'],
      [0xc3, 0xa9],
    ],
    [['é', 'binary'], [0xe9]],
    [[12], [0x31, 0x32]],
  ])('toBinary(%j)', (args, expected) =>
    expect([...(call('toBinary', ...args) as Uint8Array)]).toEqual(expected),
  );
  it('toString decodes a buffer', () => {
    expect(call('toString', bytes(0xc3, 0xa9))).toBe('é');
    expect(call('toString', bytes(0xc3, 0xa9), 'hex')).toBe('c3a9');
    expect(call('toString', bytes(0xc3, 0xa9), 'base64')).toBe('w6k=');
  });
  it('toString converts every type', () => {
    expect(call('toString', new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(call('toString', [1, [2, null]])).toBe('1,2,');
    expect(call('toString', {})).toBe('{object}');
    expect(call('toString', null)).toBeNull();
  });
  it('base64 encodes a buffer', () => expect(call('base64', bytes(255, 254))).toBe('//4='));
  it.each([
    ['abc', 'hex'],
    ['zz', 'hex'],
    ['a*b=', 'base64'],
    ['a', 'base64'],
  ])('toBinary throws because %s is not %s', (text, encoding) => {
    expect(errorOf(() => call('toBinary', text, encoding))?.message).toBe(
      `The text is not valid ${encoding}.`,
    );
  });
  it('toBinary returns a buffer unchanged', () => {
    const buffer = bytes(0xff, 0);
    expect(call('toBinary', buffer)).toBe(buffer);
    expect(call('toBinary', buffer, 'hex')).toBe(buffer);
  });
  it.each([
    [{}, '{object}'],
    [[1, 2], '1,2'],
  ])('toBinary throws for %j', (value, shown) =>
    expect(errorOf(() => call('toBinary', value))).toEqual({
      code: 'IML_FUNCTION',
      message: `'${shown}' cannot be converted to a buffer.`,
    }),
  );
  it('base64 of 100 MB throws IML_LIMIT', () => {
    expect(errorOf(() => call('base64', new Uint8Array(100_000_000)))?.code).toBe('IML_LIMIT');
  });
});
