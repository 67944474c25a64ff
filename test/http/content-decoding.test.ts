import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ContentDecodingOptions, decodeContent } from '../../src/engine/http/content-decoding.js';
import type { TransportResponse } from '../../src/index.js';
import { request, text } from './loopback.js';

function decode(
  encoding: string | undefined,
  body: Uint8Array,
  options?: ContentDecodingOptions,
): Promise<TransportResponse> {
  const headers = {
    'x-a': '1',
    'content-length': '5',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  const { url, signal } = request('https://a.test/p?hush=hush');
  return decodeContent({ status: 200, headers, body, url }, signal, options);
}

/** Failure output must not print the whole bomb. */
const lengthOf = async (encoding: string, body: Uint8Array): Promise<number> =>
  (await decode(encoding, body)).body.length;

const HELLO = Buffer.from('hello');
const BOMB = Buffer.alloc(10 * 1024 * 1024);
const noise = Buffer.from(
  Array.from({ length: 5000 }, (_, index) => (index * 7919 * ((index >> 3) + 13)) % 251),
);

function gzipTimes(count: number): Uint8Array {
  let body: Uint8Array = HELLO;
  for (let layer = 0; layer < count; layer++) body = gzipSync(body);
  return body;
}

describe('decodeContent decodes', () => {
  it.each<[string, Uint8Array]>([
    ['gzip', gzipSync(HELLO)],
    ['GZIP', gzipSync(HELLO)],
    ['x-gzip', gzipSync(HELLO)],
    ['deflate', deflateSync(HELLO)],
    ['deflate', deflateRawSync(HELLO)],
    ['br', brotliCompressSync(HELLO)],
    ['gzip, br', brotliCompressSync(gzipSync(HELLO))],
    ['deflate , identity, gzip', gzipSync(deflateSync(HELLO))],
    ['gzip, gzip, gzip, gzip', gzipTimes(4)],
    ['gzip', Buffer.concat([gzipSync('hel'), gzipSync('lo')])],
  ])('%s', async (encoding, body) => {
    const response = await decode(encoding, body);
    expect(text(response.body)).toBe('hello');
    expect(Object.keys(response.headers)).toEqual(['x-a']);
  });

  it.each(['identity', 'utf-8', 'none', '', undefined])('ignores the encoding %j', async (encoding) => {
    const response = await decode(encoding, HELLO);
    expect(text(response.body)).toBe('hello');
    expect(response.headers['content-length']).toBe('5');
  });

  it('keeps an empty body', async () => {
    expect((await decode('gzip', new Uint8Array())).body).toHaveLength(0);
  });
});

describe('decodeContent rejects', () => {
  it.each<[string, string, Uint8Array]>([
    ['what is not gzip', 'gzip', HELLO],
    ['what is not deflate', 'deflate', HELLO],
    ['what is not brotli', 'br', Buffer.alloc(20, 255)],
    ['a body cut off', 'gzip', gzipSync(noise).subarray(0, -20)],
    ['a changed byte', 'gzip', Buffer.from(gzipSync(noise)).fill(0, 20, 40)],
    ['a wrong checksum', 'gzip', Buffer.concat([gzipSync(noise).subarray(0, -8), Buffer.alloc(8)])],
    ['an unknown encoding', 'zstd', HELLO],
    ['an encoding named like a member of Object', 'constructor', HELLO],
    ['encodings in the wrong order', 'br, gzip', brotliCompressSync(gzipSync(HELLO))],
    ['five encodings', 'gzip, gzip, gzip, gzip, gzip', gzipTimes(5)],
  ])('%s', async (_title, encoding, body) => {
    const error: unknown = await decode(encoding, body).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TransportError', code: 'NETWORK_DECODE', retryable: false });
    expect(String(error)).not.toContain('hush');
  });

  it.each<[string, string, Uint8Array]>([
    ['gzip', 'gzip', gzipSync(BOMB)],
    ['deflate', 'deflate', deflateSync(BOMB)],
    ['br', 'br', brotliCompressSync(BOMB)],
    ['one inside another', 'gzip, gzip', gzipSync(gzipSync(BOMB))],
  ])('a decompression bomb in %s by its ratio', async (_title, encoding, body) => {
    expect(BOMB.length / body.length).toBeGreaterThan(250);
    await expect(lengthOf(encoding, body)).rejects.toMatchObject({ code: 'NETWORK_RESPONSE_TOO_LARGE' });
  });

  it('a ratio above 250, but not 250', async () => {
    const size = 2_000_000;
    const zeros = gzipSync(Buffer.alloc(size));
    // The decoder ignores data after the last gzip member.
    const inBytes = (length: number): Uint8Array =>
      Buffer.concat([zeros, Buffer.alloc(length - zeros.length)]);
    expect(await lengthOf('gzip', inBytes(size / 250))).toBe(size);
    await expect(lengthOf('gzip', inBytes(size / 250 - 1))).rejects.toMatchObject({
      code: 'NETWORK_RESPONSE_TOO_LARGE',
    });
  });

  it('a body above the size limit, but not at it', async () => {
    const body = gzipSync(noise);
    expect((await decode('gzip', body, { maxBytes: 5000 })).body).toHaveLength(5000);
    await expect(decode('gzip', body, { maxBytes: 4999 })).rejects.toMatchObject({
      code: 'NETWORK_RESPONSE_TOO_LARGE',
    });
  });

  it('no small body, regardless of its ratio', async () => {
    expect((await decode('gzip', gzipSync(Buffer.alloc(1024 * 1024)))).body).toHaveLength(1024 * 1024);
  });
});

describe('decoded chunks', () => {
  it('are concatenated to the body', async () => {
    const body = Buffer.alloc(3_000_000, noise);
    for (const encode of [gzipSync, deflateSync, brotliCompressSync]) {
      const encoding = encode === gzipSync ? 'gzip' : encode === deflateSync ? 'deflate' : 'br';
      const decoded = await decode(encoding, encode(body), { maxRatio: Number.POSITIVE_INFINITY });
      expect(body.equals(decoded.body)).toBe(true);
    }
  });
});
