import { inspect } from 'node:util';
import { expect } from 'vitest';

/** A secret that every encoding writes in another way. */
export function canary(place: string): string {
  return `canary-${place}-"q"\\b/+ é%&<x>`;
}

/** The ways a text can be written, one by one, so that a test does not lean on the code it tests. */
function writingsOf(secret: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = (shift: number): string => {
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64');
    // Only whole groups that hold nothing but the secret.
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

/** Everything an error shows to whoever logs it: message, stack, fields, causes. */
export function everythingOf(error: unknown): string {
  return [
    String(error),
    inspect(error, { depth: 30, showHidden: true, maxStringLength: null }),
    error instanceof Error ? error.stack : '',
    JSON.stringify(error),
  ].join('\n');
}

/** Names of canaries and of their writings that a text holds. */
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
