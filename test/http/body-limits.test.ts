import { describe, expect, it } from 'vitest';
import { decodeBody } from '../../src/engine/http/body/decode-body.js';

const MAX_NAMES = 50_000;

function read(contentType: string, text: string, status = 200): unknown {
  const url = 'https://api.example.test/';
  const response = { status, url, headers: { 'content-type': contentType }, body: Buffer.from(text) };
  const decoded = decodeBody(response, 'automatic');
  return decoded.ok ? decoded.value : decoded.error.message;
}

const repeat = (count: number, make: (index: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

const FORMATS: readonly (readonly [type: string, withNames: (count: number) => string])[] = [
  ['application/json', (count) => `{${repeat(count, (id) => `"n${id}":${id}`, ',')}}`],
  ['application/json', (count) => `{"in":[{${repeat(count, (id) => `"${id * 7}":{}`, ',')}}]}`],
  ['application/x-www-form-urlencoded', (count) => repeat(count, (id) => `n${id}=${id}`, '&')],
  ['application/xml', (count) => `<a>${repeat(count, (id) => `<n${id}/>`, '')}</a>`],
];

describe.each(FORMATS)('names in one collection in %s', (type, withNames) => {
  it('are accepted up to the limit', () => {
    expect(read(type, withNames(MAX_NAMES))).toBeTypeOf('object');
  });

  it('are an error beyond the limit, and text in an error response', () => {
    const text = withNames(MAX_NAMES + 1);
    expect(read(type, text)).toMatch('more than 50000 names in a collection');
    expect(read(type, text, 500)).toBe(text);
  });
});

it('count once if repeated', () => {
  expect(read('application/x-www-form-urlencoded', 'a=&'.repeat(MAX_NAMES + 1))).toHaveProperty('a');
  expect(read('application/xml', `<r>${'<a/>'.repeat(MAX_NAMES + 1)}</r>`)).toHaveProperty('r');
});

it('JSON accepts 10,000 levels and 3,000,000 values', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  expect(read('application/json', nested(10_000))).toBeInstanceOf(Array);
  expect(read('application/json', nested(10_001))).toContain('more than 10000 levels');
  expect(read('application/json', `[${'1,'.repeat(2_999_999)}1]`)).toHaveLength(3_000_000);
  expect(read('application/json', `[${'1,'.repeat(3_000_000)}1]`)).toContain('more than 3000000 values');
});
