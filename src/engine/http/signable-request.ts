import { createHash } from 'node:crypto';
import { decodeComponent, decodeFormComponent, encodeComponent } from './http-url.js';
import type { HeaderEntry } from './transport.js';

/** The signed part of a request. */
export interface SignableRequest {
  readonly method: string;
  /** Absolute and encoded. */
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
}

/** A decoded name and value. */
export type QueryPair = readonly [name: string, value: string];

/** Parses an encoded query, in order. Names without `=` have an empty value. */
export function parseQueryPairs(query: string | undefined, plus: 'space' | 'literal'): QueryPair[] {
  const decode = plus === 'space' ? decodeFormComponent : decodeComponent;
  return (query ?? '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    });
}

/** `a=1&b=2`, strictly encoded and sorted by the bytes of name and value: the canonical form of both signatures. */
export function canonicalQuery(pairs: readonly QueryPair[]): string {
  return pairs
    .map(([name, value]): QueryPair => [encodeComponent(name), encodeComponent(value)])
    .sort((a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** Compares by code unit; for encoded text, by byte. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function hashBody(algorithm: 'sha1' | 'sha256', body: Uint8Array): Buffer {
  return createHash(algorithm).update(body).digest();
}
