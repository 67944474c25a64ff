import { describe, expect, it } from 'vitest';
import { decodeLargeBody } from '../../src/http/body/body-decoding.js';
import { MAX_NAMES } from '../../src/iml/values/size-limits.js';
import { Turns } from '../../src/util/turns.js';

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
    expect(await read(type, text)).toMatch('more than 50000 names in a collection');
    expect(await read(type, text, 500)).toBe(text);
  });
});

it('names that come again are one', async () => {
  expect(await read('application/x-www-form-urlencoded', 'a=&'.repeat(MAX_NAMES + 1))).toHaveProperty('a');
  expect(await read('application/xml', `<r>${'<a/>'.repeat(MAX_NAMES + 1)}</r>`)).toHaveProperty('r');
});

// Longer names are hashed by the host by their length alone: a thousand of one length took it seconds.
describe.each([
  ['application/json', (name: string) => `{"${name}":1}`],
  ['application/x-www-form-urlencoded', (name: string) => `a=1&${name}=1`],
  ['application/x-www-form-urlencoded', (name: string) => `${name}=1&a=1`],
  ['application/xml', (name: string) => `<r ${name}="1"/>`],
  ['application/xml', (name: string) => `<r><${name}/></r>`],
])('a name of %s', (type, write) => {
  it('has 16,000 characters at most', async () => {
    expect(await read(type, write('x'.repeat(16_000)))).toBeTypeOf('object');
    expect(await read(type, write('x'.repeat(16_001)))).toContain('a name of more than 16000');
    expect(await read(type, write('x'.repeat(300_000)))).toContain('a name of more than 16000');
  });
});

it.each([
  ['a number', '['.concat('1'.repeat(3_000_000), ']')],
  ['a number of a member', `{"a":${'1'.repeat(3_000_000)}}`],
  ['a word', `[${'tru'.repeat(1_000_000)}]`],
  ['white space', `[1,${' '.repeat(3_000_000)}2]`],
  ['white space behind a name', `{"a"${' '.repeat(3_000_000)}:2}`],
])('of JSON %s may be long, but not without end', async (_what, text) => {
  const short = text.replace(/(1|tru| )\1{9}/g, '');
  expect(await read('application/json', text)).toContain('bytes of a number, a word or white space');
  expect(await read('application/json', short)).not.toContain('white space');
});
