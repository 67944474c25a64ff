import { describe, expect, it } from 'vitest';
import { decodeBody, type ResponseType, selectResponseType } from '../../src/engine/http/body/decode-body.js';

interface Given {
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly status?: number;
  readonly type?: ResponseType;
}

function decode({ body = '', contentType, status = 200, type = 'automatic' }: Given) {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  return decodeBody({ status, headers, body: Buffer.from(body), url: 'https://x.test/' }, type);
}

function value(given: Given): unknown {
  const decoded = decode(given);
  return decoded.ok ? decoded.value : decoded.error;
}

describe('automatic', () => {
  it.each<[string | undefined, string, unknown]>([
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['text/html; charset=utf-8', '<p>', '<p>'],
    ['application/json', '{"a":1}', { a: 1 }],
    ['Application/JSON; Charset="UTF-8"', '{"a":"é"}', { a: 'é' }],
    ['application/problem+json', '[1]', [1]],
    ['text/json', '[1]', [1]],
    ['application/x-www-form-urlencoded; charset=utf-8', 'access=abc&x=1', { access: 'abc', x: '1' }],
    ['text/xml', '<a>1</a>', { a: ['1'] }],
    ['application/atom+xml', '<a>1</a>', { a: ['1'] }],
    ['application/pdf', 'PDF', Buffer.from('PDF')],
    ['image/png', '', Buffer.alloc(0)],
    [undefined, '{"a":1}', { a: 1 }],
    [undefined, 'plain', 'plain'],
    ['nonsense', '5', 5],
    ['application/json, text/html', '[1]', [1]],
  ])('%s', (contentType, body, expected) => {
    expect(value({ body, ...(contentType !== undefined && { contentType }) })).toEqual(expected);
  });
});

describe('explicit types ignore the Content-Type', () => {
  it.each<[ResponseType, string, unknown]>([
    ['json', '[1]', [1]],
    ['text', '[1]', '[1]'],
    ['raw', '[1]', '[1]'],
    ['string', '[1]', '[1]'],
    [
      'urlencoded',
      'a=1&a=2&b&c=%zz+%C3%A9&__proto__=x',
      JSON.parse('{"a":["1","2"],"b":"","c":"%zz é","__proto__":"x"}'),
    ],
    ['xml', '<a/>', { a: [''] }],
  ])('%s', (type, body, expected) => {
    expect(value({ type, body, contentType: 'image/png' })).toEqual(expected);
  });

  it('binary returns bytes', () => {
    const bytes = value({
      type: 'binary',
      body: Uint8Array.of(0, 1, 2, 255),
      contentType: 'application/json',
    });
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(bytes).toEqual(Buffer.of(0, 1, 2, 255));
  });
});

describe('an empty body is not parsed', () => {
  it.each<[ResponseType, unknown]>([
    ['text', ''],
    ['raw', ''],
    ['string', ''],
    ['json', undefined],
    ['xml', undefined],
    ['urlencoded', undefined],
    ['binary', Buffer.alloc(0)],
    ['automatic', undefined],
  ])('%s', (type, expected) => expect(decode({ type, status: 204 })).toEqual({ ok: true, value: expected }));

  it('white space as JSON parses to undefined', () => {
    expect(decode({ type: 'json', body: ' \r\n' })).toEqual({ ok: true, value: undefined });
  });
});

describe('charset', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  it.each<[string, Buffer, string, unknown]>([
    ['latin1 in the header', Buffer.from('"é"', 'latin1'), 'application/json; charset=iso-8859-1', 'é'],
    ['windows-1252', Buffer.from([0x22, 0x80, 0x22]), 'application/json; charset=windows-1252', '€'],
    ['shift_jis', Buffer.from([0x93, 0xfa]), 'text/plain; charset=Shift_JIS', '日'],
    ['UTF-8 mark', Buffer.from('\ufeff{"a":1}'), 'application/json', { a: 1 }],
    ['UTF-16 mark', utf16('\ufeff{"a":"é"}'), 'application/json; charset=utf-8', { a: 'é' }],
    ['UTF-16 mark, big endian', utf16('\ufeff"é"').swap16(), 'application/json', 'é'],
    ['unknown name', Buffer.from('é'), 'text/plain; charset=x-none', 'é'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff]), 'text/plain', 'a\ufffd'],
    [
      'XML declaration',
      Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1'),
      'text/xml',
      { a: ['é'] },
    ],
    ['form', Buffer.from('a=é', 'latin1'), 'application/x-www-form-urlencoded; charset=latin1', { a: 'é' }],
  ])('%s', (_title, body, contentType, expected) => expect(value({ body, contentType })).toEqual(expected));
});

describe('an invalid body', () => {
  it('is a RuntimeError below status 400', () => {
    const decoded = decode({ body: '{"a":', contentType: 'application/json' });
    expect(decoded).toMatchObject({ ok: false, error: { type: 'RuntimeError', statusCode: 200 } });
  });

  it.each(['application/json', 'text/xml'])('is returned as text from status 400 on: %s', (contentType) => {
    expect(decode({ body: '<html> & {', contentType, status: 502 })).toEqual({
      ok: true,
      value: '<html> & {',
    });
  });

  it('quotes the start of a body that is not JSON', () => {
    const error = value({ body: '\n<html>\r\n<body class="x">Sorry', type: 'json' });
    expect(String(error)).toMatch(/not valid JSON: .*<html> <body class/);
  });

  it.each([
    '{"access_token":"hush-hush-hush"',
    '{"access_token":"hush-hush-hush" x}',
    '["hush-hush-hush",]',
    'hush-hush-hush',
    '"hush-hush-hush',
    '<a b="hush-hush-hush',
  ])('never quotes a possible secret: %s', (body) => {
    for (const type of ['json', 'xml'] as const) {
      const error = value({ body, type });
      expect(String(error)).toContain('RuntimeError: The response is not valid');
      expect(String(error)).not.toContain('hush');
    }
  });

  it('accepts deep nesting, large numbers and names of prototype members', () => {
    const deep = value({ type: 'json', body: '['.repeat(1e4) + ']'.repeat(1e4) });
    expect(Array.isArray(deep)).toBe(true);
    const read = value({ type: 'json', body: '{"__proto__":{"x":1},"n":1e400}' });
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.keys(read as object)).toEqual(['__proto__', 'n']);
  });
});

describe('selectResponseType', () => {
  it.each([
    [undefined, 'automatic'],
    [null, 'automatic'],
    ['', 'automatic'],
    ['xml', 'xml'],
    [{}, 'automatic'],
    [{ '200': 'text' }, 'automatic'],
    [{ '*': 'json' }, 'json'],
    [{ '*': 'json', '400-408': 'text' }, 'text'],
    [{ '400-499': 'xml', '*': 'json', '400-408': 'text', '404': 'binary' }, 'binary'],
    [{ '1-999': 'text', '*': 'json' }, 'text'],
    [{ '404-404': 'text', '400-404': 'json' }, 'text'],
    [{ '404-410': 'text' }, 'text'],
    [{ '400-404': 'text' }, 'text'],
    [{ '405-410': 'text', '*': 'json' }, 'json'],
    [{ '410-400': 'text' }, 'text'],
    [{ '4xx': 'text', x: 'xml', '*': 'json' }, 'json'],
  ])('%j at 404 is %s', (spec, expected) => expect(selectResponseType(spec, 404)).toBe(expected));

  it('rejects unknown types with a suggestion', () => {
    expect(() => selectResponseType('jsn', 200)).toThrow(/Did you mean "json"\?/);
    expect(() => selectResponseType({ '*': 5 }, 200)).toThrow(
      expect.objectContaining({ code: 'SPEC_INVALID' }),
    );
  });
});

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
  expect(read('application/json', nested(10_001))).toContain('The response has more than 10,000 levels.');
  expect(read('application/json', `[${'1,'.repeat(2_999_999)}1]`)).toHaveLength(3_000_000);
  const many = read('application/json', `[${'1,'.repeat(3_000_000)}1]`);
  expect(many).toContain('The response has more than 3,000,000 values.');
  // Separators within strings are no values, and empty lists hold none.
  const text = JSON.stringify({ text: `${'\\",[{'.repeat(1_000_000)}`, empty: [] });
  expect(read('application/json', text)).toMatchObject({ empty: [] });
  const lists = `[${'[ ],'.repeat(2_999_999)}{}]`;
  expect(read('application/json', lists)).toHaveLength(3_000_000);
});
