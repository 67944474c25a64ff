import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKnownSecrets } from '../../src/redaction/known-secrets.js';

/** Secrets that have nothing in common. */
const secretsOf = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    createHash('shake256', { outputLength: length }).update(`${index}`).digest('base64url').slice(0, length),
  );

function know(secrets: readonly string[]): (written: (secret: string) => string) => number {
  const known = createKnownSecrets();
  for (const secret of secrets) known.add(secret);
  return (written) => secrets.filter((secret) => known.isIn(`a ${written(secret)} z`)).length;
}

const asItIs = (secret: string): string => secret;
const inUtf8 = (secret: string): string => Buffer.from(`user:${secret}`).toString('base64');
const inUtf16 = (secret: string): string => Buffer.from(secret, 'utf16le').toString('base64');

describe('many long secrets', () => {
  it.each([
    ['4096', 50],
    ['200', 3000],
  ])('of %s characters are found as they are, however many forms the first ones take', (length, count) => {
    const found = know(secretsOf(count, Number(length)));
    expect(found(asItIs)).toBe(count);
  });

  it('are looked for in fewer forms the more there are', () => {
    const found = know(secretsOf(50, 4096));
    expect([found(inUtf16), found(inUtf8), found(asItIs)]).toEqual([7, 12, 50]);
  });

  it('are looked for in fewer forms behind the first thousand, however short', () => {
    const found = know(secretsOf(1100, 12));
    expect([found(inUtf16), found(inUtf8), found(asItIs)]).toEqual([32, 1000, 1100]);
  });

  it('are known up to 2,500,000 characters of what is looked for', () => {
    const known = createKnownSecrets();
    for (const secret of secretsOf(60, 64 * 1024)) known.add(secret);
    expect(known.version()).toBe(15);
  });

  it('are known up to 5000, however short', () => {
    const known = createKnownSecrets();
    for (const secret of secretsOf(5001, 12)) known.add(secret);
    expect(known.version()).toBe(5000);
  });
});
