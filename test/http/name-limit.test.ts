import { describe, expect, it } from 'vitest';
import { decodeLargeBody } from '../../src/http/body/body-decoding.js';
import { MAX_NAMES } from '../../src/http/body/name-limit.js';
import { Turns } from '../../src/util/turns.js';

// Line 2 of the findings: what holds the thread for as long as a collection is large is bounded.

async function read(contentType: string, text: string, status = 200): Promise<unknown> {
  const url = 'https://api.example.test/';
  const answer = { status, url, headers: { 'content-type': contentType }, body: Buffer.from(text) };
  const decoded = await decodeLargeBody(answer, 'automatic', new Turns());
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

describe.each(FORMATS)('names of one collection in %s', (type, withNames) => {
  it('may be as many as the limit', async () => {
    expect(await read(type, withNames(MAX_NAMES))).toBeTypeOf('object');
  });

  it('are an error beyond it, and text in an answer that is one', async () => {
    const text = withNames(MAX_NAMES + 1);
    expect(await read(type, text)).toMatch(`more than ${MAX_NAMES} names in a collection`);
    expect(await read(type, text, 500)).toBe(text);
  });
});

it('names that come again are one', async () => {
  expect(await read('application/x-www-form-urlencoded', 'a=&'.repeat(MAX_NAMES + 1))).toHaveProperty('a');
  expect(await read('application/xml', `<r>${'<a/>'.repeat(MAX_NAMES + 1)}</r>`)).toHaveProperty('r');
});

it('JSON of five million values is read, and no more', async () => {
  const most = 5_000_000;
  const list = (await read('application/json', `[${'1,'.repeat(most - 2)}1]`)) as readonly unknown[];
  expect(list.length).toBe(most - 1);
  const message = await read('application/json', `[${'[1],'.repeat(most / 2)}1]`);
  expect(message).toContain(`more than ${most} values`);
});

it('a name of JSON may be long, but not without end', async () => {
  const name = 'x'.repeat(1_000_000);
  expect(await read('application/json', `{"${name}":1}`)).toEqual({ [name]: 1 });
  expect(await read('application/json', `{"${name.repeat(2)}":1}`)).toContain('a name of more than');
});
