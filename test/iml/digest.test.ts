import { afterEach, expect, it, vi } from 'vitest';
import { nodeDigest } from '../../src/iml/environment/environment.js';

afterEach(() => vi.unstubAllGlobals());

it('digests with and without a key', () => {
  const data = new TextEncoder().encode('data');
  expect(nodeDigest('md5', data).length).toBe(16);
  expect(nodeDigest('sha512', data, data).length).toBe(64);
  expect(nodeDigest('sha256', data, data)).not.toEqual(nodeDigest('sha256', data));
});
it('asks for a digest where there is no Node', () => {
  vi.stubGlobal('process', undefined);
  expect(() => nodeDigest('md5', new Uint8Array())).toThrow('Set the option "digest"');
});
