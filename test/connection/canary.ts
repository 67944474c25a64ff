import { inspect } from 'node:util';
import { expect } from 'vitest';

/** A secret that every encoding changes. */
export function canary(place: string): string {
  return `canary-${place}-"q"\\b/+ é%&<x>`;
}

const known = new Map<string, ReadonlyMap<string, string>>();

/** All encodings of a text, written out so that the test does not depend on the tested code. */
function writingsOf(secret: string): ReadonlyMap<string, string> {
  const writings = known.get(secret) ?? encode(secret);
  known.set(secret, writings);
  return writings;
}

function encode(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = (shift: number): string => {
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64');
    // Complete base64 groups that contain nothing but the secret.
    return text.slice(shift === 0 ? 0 : 4, Math.floor((shift + bytes.length) / 3) * 4);
  };
  return new Map([
    ['raw', secret],
    ['JSON', JSON.stringify(secret).slice(1, -1)],
    ['JSON in JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['URL', encodeURIComponent(secret)],
    ['form', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['base64', base64(0)],
    ['base64, shifted by 1', base64(1)],
    ['base64, shifted by 2', base64(2)],
    ['base64url', base64(0).replaceAll('+', '-').replaceAll('/', '_')],
    ['base64 in a URL', encodeURIComponent(base64(0))],
    ['URL in a URL', encodeURIComponent(encodeURIComponent(secret))],
    ['URL with small digits', encodeURIComponent(secret).replace(/%../g, (digits) => digits.toLowerCase())],
    ['hexadecimal', bytes.toString('hex')],
    ['hexadecimal with capitals', bytes.toString('hex').toUpperCase()],
  ]);
}

/** Everything an error shows when it is logged: message, stack, fields, causes. */
export function everythingOf(error: unknown): string {
  return [
    String(error),
    inspect(error, { depth: 30, showHidden: true, maxStringLength: null }),
    error instanceof Error ? error.stack : '',
    JSON.stringify(error),
  ].join('\n');
}

/** Returns the canaries and their encodings that a text contains. */
export function findCanaries(text: string, secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) =>
    [...writingsOf(secret)]
      .filter(([, writing]) => text.includes(writing))
      .map(([how]) => `${secret} (${how})`),
  );
}

export function expectNoCanary(text: string, secrets: readonly string[]): void {
  expect(findCanaries(text, secrets)).toEqual([]);
}
