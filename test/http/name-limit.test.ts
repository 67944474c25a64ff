import { describe, expect, it } from 'vitest';
import { decodeLargeBody } from '../../src/http/body/body-decoding.js';
import { MAX_VALUES } from '../../src/http/body/name-limit.js';
import { MAX_NAMES } from '../../src/iml/values/size-limits.js';
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
    expect(await read(type, text)).toMatch('more than 50000 names in a collection');
    expect(await read(type, text, 500)).toBe(text);
  });
});

it('names that come again are one', async () => {
  expect(await read('application/x-www-form-urlencoded', 'a=&'.repeat(MAX_NAMES + 1))).toHaveProperty('a');
  expect(await read('application/xml', `<r>${'<a/>'.repeat(MAX_NAMES + 1)}</r>`)).toHaveProperty('r');
});

it('JSON of three million values is read, and no more', async () => {
  const list = (await read('application/json', `[${'1,'.repeat(MAX_VALUES - 2)}1]`)) as readonly unknown[];
  expect(list.length).toBe(MAX_VALUES - 1);
  const message = await read('application/json', `[${'[1],'.repeat(MAX_VALUES / 2)}1]`);
  expect(message).toContain('more than 3000000 values');
});

it('a form of three million pairs is read, and no more', async () => {
  const type = 'application/x-www-form-urlencoded';
  expect(await read(type, 'a&&'.repeat(MAX_VALUES))).toMatchObject({ a: { length: MAX_VALUES } });
  expect(await read(type, 'a&'.repeat(MAX_VALUES + 1))).toContain('more than 3000000 values');
});

describe('names and short texts that differ', () => {
  const collections = (count: number): string =>
    repeat(count, (at) => `{${repeat(45_000, (id) => `"${at}_${id}":1`, ',')}}`, ',');

  it('may be 0.8 million in JSON, however often they come again', async () => {
    const [once, again] = [collections(16), '"ab",'.repeat(900_000)];
    expect(await read('application/json', `[${once},${again}${collections(8)}]`)).toBeTypeOf('object');
  });

  it.each([
    ['names of JSON', 'application/json', () => `[${collections(28)}]`],
    ['texts of JSON', 'application/json', () => `[${repeat(1_300_000, (id) => `"${id}"`, ',')}]`],
    [
      'names of XML',
      'application/xml',
      () => `<r>${repeat(1500, (at) => `<a ${repeat(900, (id) => `n${at}_${id}="1"`, ' ')}/>`, '')}</r>`,
    ],
  ])('are refused beyond 1.2 million: %s', async (_what, type, text) => {
    expect(await read(type, text())).toContain('more than 1200000 different names and short texts');
  });

  it('are names of any length, and texts of ten characters at most', async () => {
    const texts = repeat(1_300_000, (id) => `"number ${id}"`, ',');
    expect(await read('application/json', `[${texts}]`)).toBeTypeOf('object');
  });
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
