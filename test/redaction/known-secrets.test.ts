import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKnownSecrets, type KnownSecrets, knowMore } from '../../src/redaction/known-secrets.js';

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

describe('the beginning of a secret that goes on', () => {
  const knowing = (...secrets: readonly string[]): KnownSecrets => {
    const known = createKnownSecrets();
    for (const secret of secrets) known.add(secret);
    return known;
  };

  it.each([
    ['x abcdef', 6],
    ['x abcdefg', 7],
    ['x abcdefgh', 0],
    ['abcd', 4],
    ['x abc', 0],
    ['abcdef ', 0],
    ['', 0],
    ['ababcd', 4],
    ['secret-secret-sec', 10],
    ['seccret', 0],
  ])('at the end of %j has %i characters', (text, length) => {
    expect(knowing('abcdefgh', 'secret-second').beginningIn(text)).toBe(length);
  });

  it('is none where no secret is known', () => {
    expect(knowing().beginningIn('abcdef')).toBe(0);
  });

  it('is that of the secret of which there is most', () => {
    expect(knowing('ababcdef', 'abcdefgh').beginningIn('x ababcd')).toBe(6);
    expect(knowing('abcdefgh', 'ababcdef').beginningIn('x ababcd')).toBe(6);
  });

  it('is one of either where more is known apart', () => {
    const more = knowMore(knowing('abcdefgh'));
    more.add('secret-second');
    expect([more.beginningIn('abcdef'), more.beginningIn('a secret'), more.beginningIn('none')]).toEqual([
      6, 6, 0,
    ]);
  });
});
