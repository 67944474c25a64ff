import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuildUrlOptions, buildUrl } from '../../src/engine/http/http-url.js';

const BASE = 'https://api.example.test/v1';

function build(url: string, options: Partial<BuildUrlOptions> = {}): string {
  return buildUrl({ url, baseUrl: BASE, ...options }).url;
}

function query(url: string): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const [name, value] of new URL(url).searchParams) values[name] = [...(values[name] ?? []), value];
  return values;
}

describe('joining url and baseUrl', () => {
  it.each([
    ['/things/7', BASE, `${BASE}/things/7`],
    ['things/7', BASE, `${BASE}/things/7`],
    ['/things', `${BASE}/`, `${BASE}/things`],
    ['/things', `${BASE}//`, `${BASE}/things`],
    ['/', BASE, `${BASE}/`],
    ['', BASE, BASE],
    ['?a=1', BASE, `${BASE}?a=1`],
    ['//x//y/', BASE, `${BASE}/x/y/`],
    ['https://other.test//x', BASE, 'https://other.test/x'],
    ['https://other.test./x', BASE, 'https://other.test/x'],
    ['/x?a=1?b=2', BASE, `${BASE}/x?a=1&b=2`],
    ['/x?a=1?', BASE, `${BASE}/x?a=1`],
    ['items:batchGet', BASE, `${BASE}/items:batchGet`],
    ['  /things\n', ` ${BASE} `, `${BASE}/things`],
    ['https://other.test/x', BASE, 'https://other.test/x'],
    ['HTTPS://Other.Test', BASE, 'https://other.test/'],
    ['https://other.test:443/x', undefined, 'https://other.test/x'],
    ['https://other.test:8443/x', undefined, 'https://other.test:8443/x'],
    ['https://bücher.test/x', undefined, 'https://xn--bcher-kva.test/x'],
    ['/x?b=2', 'https://api.example.test/v1?key=k', 'https://api.example.test/v1/x?key=k&b=2'],
    ['/x#part', BASE, `${BASE}/x`],
    ['/x?a=1#part?b=2', BASE, `${BASE}/x?a=1`],
  ])('%j on %j', (url, baseUrl, expected) => {
    expect(buildUrl({ url, baseUrl }).url).toBe(expected);
  });
});

describe('encodeUrl', () => {
  it.each([
    ['/p/a b/Hello%2FWorld', '/p/a%20b/Hello%252FWorld'],
    ['/ü/日本', '/%C3%BC/%E6%97%A5%E6%9C%AC'],
    ["/a:b@c!$&'()*+,;=[d]", "/a:b@c!$&'()*+,;=[d]"],
    ['/"<>\\^`{|}', '/%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/a\r\nHost: evil', '/a%0D%0AHost:%20evil'],
    ['/a\0b', '/a%00b'],
    ['/%2e%2e/../x', '/%252e%252e/../x'],
    ['/\ud800', '/%EF%BF%BD'],
    ['/s?q=a b%20c&r=x/y', '/s?q=a%20b%20c&r=x/y'],
    ['/c?after=abc%3D%3D&filter=a%2Fb', '/c?after=abc%3D%3D&filter=a%2Fb'],
    ['/c?a=100%&b=%zz&c=%4&d=%%41&e=%25&f=%252F', '/c?a=100%25&b=%25zz&c=%254&d=%25%41&e=%25&f=%252F'],
    ['/c%2Fd?e=%c3%A4%2f', '/c%252Fd?e=%c3%A4%2f'],
  ])('true: %j', (url, expected) => {
    expect(build(url)).toBe(BASE + expected);
  });

  it.each([
    ['/p/a b/Hello%2FWorld', '/p/a%20b/Hello%2FWorld'],
    ['/"<>^`{|}', '/"<>^`{|}'],
    ['/ü', '/%C3%BC'],
    ['/a\r\nHost: evil', '/a%0D%0AHost:%20evil'],
    ['/%2e%2e/x', '/%2e%2e/x'],
    ['/s?q=a%20b&c=d+e', '/s?q=a%20b&c=d+e'],
  ])('false: %j', (url, expected) => {
    expect(build(url, { encodeUrl: false })).toBe(BASE + expected);
  });

  it('always produces a printable ASCII path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, encodeUrl) => {
        const url = build(`/p/x${text}`, { encodeUrl });
        expect(url).toMatch(/^https:\/\/api\.example\.test\/[\x21-\x7e]*$/);
      }),
    );
  });
});

describe('qs', () => {
  it('repeats the name of a list, drops undefined and null, keeps empty text', () => {
    const url = build('/q', {
      qs: { list: ['one', undefined, 'two', null], none: undefined, nul: null, empty: '', nothing: [] },
    });
    expect(url).toBe(`${BASE}/q?list=one&list=two&empty=`);
  });

  it('converts numbers, booleans and dates to text', () => {
    const qs = { n: 5, z: -0.5, b: false, d: new Date(Date.UTC(2020, 0, 2)), big: 10n };
    expect(query(build('/q', { qs }))).toEqual({
      n: ['5'],
      z: ['-0.5'],
      b: ['false'],
      d: ['2020-01-02T00:00:00.000Z'],
      big: ['10'],
    });
  });

  it('encodes delimiters regardless of encodeUrl', () => {
    for (const encodeUrl of [true, false]) {
      const url = build('/q', { encodeUrl, qs: { 'a b': "x&y=z#/?+%20'ü\n", __proto__: 'p' } });
      expect(query(url)).toEqual({ 'a b': ["x&y=z#/?+%20'ü\n"] });
    }
    expect(build('/q', { qs: JSON.parse('{"__proto__":"p"}') })).toBe(`${BASE}/q?__proto__=p`);
  });

  it.each([
    ['a list in a list', { a: [[1]] }],
    ['binary data', { a: new Uint8Array(2) }],
    ['a function', { a: () => 1 }],
    ['an invalid date', { a: new Date(Number.NaN) }],
  ])('rejects %s with the name of the field', (_title, qs) => {
    expect(() => build('/q', { qs })).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining('qs "a"') }),
    );
  });
});

it('sends only the name of a collection in qs, and reports it', () => {
  const told: string[] = [];
  const qs = { a: { b: 1 }, c: [{}, 'd'] };
  expect(build('/q', { qs, onCollection: (name) => told.push(name) })).toBe(`${BASE}/q?a=&c=&c=d`);
  expect(told).toEqual(['a', 'c']);
});

describe('merging the query by name', () => {
  it('keeps a query in url with empty own and inherited qs', () => {
    expect(query(build('/rows?id=eq.5', { qs: {}, inheritedQs: { token: 't' } }))).toEqual({
      id: ['eq.5'],
      token: ['t'],
    });
  });

  it('applies the precedence inherited qs, query in url, own qs', () => {
    const url = build('/r?a=url&b=url&c=url&c=url2', {
      inheritedQs: { a: 'inherited', d: 'inherited', e: 'inherited' },
      qs: { b: 'own', e: ['own', 'own2'] },
    });
    expect(query(url)).toEqual({
      a: ['url'],
      b: ['own'],
      c: ['url', 'url2'],
      d: ['inherited'],
      e: ['own', 'own2'],
    });
  });

  it('compares decoded names', () => {
    expect(query(build('/r?a+b=url&c%5B%5D=url', { encodeUrl: false, qs: { 'a b': 1, 'c[]': 2 } }))).toEqual({
      'a b': ['1'],
      'c[]': ['2'],
    });
  });

  it('removes an inherited value for an undefined own value, but not one in url', () => {
    const url = build('/r?a=url', { inheritedQs: { a: 1, b: 1 }, qs: { a: undefined, b: undefined } });
    expect(query(url)).toEqual({ a: ['url'] });
  });
});

describe('hostile URLs', () => {
  it.each([
    '\\\\evil.test/x',
    '/\\evil.test',
    '\\/evil.test',
    '\\x',
    'http:/x',
    'https:x',
    'data:text/plain,x',
    'file:///etc/passwd',
    'file:/etc/passwd',
    'javascript:alert(1)',
    'ftp://x.test/',
    'ws://x.test/',
    'gopher://x.test/',
    'unix:/var/run/x.sock',
    'https://user:pass@x.test/',
    'https://api.example.test@evil.test/',
    'https://x.test:0/',
    'https://x.test:70000/',
    'https://x.test\\@evil.test/',
    'https:///x',
    'https://',
    'https://a b.test/',
    'https://a\tb.test/',
    'https://a\u0000b.test/',
    'https://[::1/',
    'https://%/',
  ])('rejects %j', (url) => {
    expect(() => build(url)).toThrow(
      expect.objectContaining({ name: 'TransportError', code: 'REQUEST_INVALID' }),
    );
  });

  it('rejects a relative URL without base, and a base that is not http', () => {
    expect(() => buildUrl({ url: '/x' })).toThrow(/no baseUrl/);
    expect(() => buildUrl({ url: '/x', baseUrl: 'api.example.test' })).toThrow(/not absolute/);
    expect(() => buildUrl({ url: '/x', baseUrl: 'ftp://api.example.test' })).toThrow(/ftp:/);
  });

  it.each([
    ['https://2130706433/', 'https://127.0.0.1/'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://0177.0.0.1/', 'https://127.0.0.1/'],
    ['https://%31%32%37.0.0.1/', 'https://127.0.0.1/'],
    ['https://127.0.0.1./', 'https://127.0.0.1/'],
    ['https://①②⑦.0.0.1/', 'https://127.0.0.1/'],
  ])('normalizes the host for the guard: %s', (url, expected) => {
    expect(build(url)).toBe(expected);
  });

  it('never quotes the query in a message', () => {
    try {
      build('nothttp://x?token=hush-hush');
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('hush-hush');
    }
  });
});
