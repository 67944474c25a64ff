import busboy from 'busboy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EncodedBody,
  encodeBody,
  encodeMultipart,
  type RequestType,
  readRequestType,
} from '../../src/engine/http/body/encode-body.js';
import { encodeFormComponent } from '../../src/engine/http/http-url.js';

function encode(type: RequestType, value: unknown): string | undefined {
  const { body } = encodeBody(type, value, () => 0.5);
  return body === undefined ? undefined : Buffer.from(body).toString('utf8');
}

describe('readRequestType', () => {
  it.each([
    [undefined, 'json'],
    [null, 'json'],
    ['', 'json'],
    ['multipart/form-data', 'multipart/form-data'],
  ])('%j is %s', (type, expected) => expect(readRequestType(type)).toBe(expected));

  it('rejects unknown types with a suggestion', () => {
    expect(() => readRequestType('urlencode')).toThrow(/Did you mean "urlencoded"\?/);
    expect(() => readRequestType(5)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

describe('json', () => {
  it('drops undefined and keeps null', () => {
    const value = { name: 'Ann', none: undefined, empty: '', nul: null, list: [undefined, null, 1] };
    expect(encode('json', value)).toBe('{"name":"Ann","empty":"","nul":null,"list":[null,null,1]}');
    expect(encodeBody('json', value, Math.random).contentType).toBe('application/json');
  });

  it.each<[string, unknown, string | undefined]>([
    ['a date', { d: new Date(0) }, '{"d":"1970-01-01T00:00:00.000Z"}'],
    ['an invalid date', { d: new Date(Number.NaN) }, '{"d":null}'],
    ['binary data', { b: Buffer.from('hello') }, '{"b":"aGVsbG8="}'],
    ['numbers without JSON form', [Number.NaN, Number.POSITIVE_INFINITY, -0], '[null,null,0]'],
    ['text', 'a"b', '"a\\"b"'],
    ['null', null, 'null'],
    ['false', false, 'false'],
    ['a list', [1, [2]], '[1,[2]]'],
    ['undefined', undefined, undefined],
    ['a function', () => 1, undefined],
    ['a member __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['a sparse list', new Array(2), '[null,null]'],
  ])('%s', (_title, value, expected) => expect(encode('json', value)).toBe(expected));

  it('calls no function of the value', () => {
    let calls = 0;
    const call = (): number => ++calls;
    const value = { toJSON: call, a: { toJSON: call, toString: call, valueOf: call } };
    expect(encode('json', value)).toBe('{"a":{}}');
    expect(calls).toBe(0);
  });

  it('rejects circular references and accepts shared ones', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = [loop];
    expect(() => encode('json', loop)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    const twice = { a: 1 };
    expect(encode('json', [twice, twice])).toBe('[{"a":1},{"a":1}]');
  });

  it('accepts 1000 levels and rejects 1001 and 100000', () => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level++) value = [value];
      return value;
    };
    expect(encode('json', nested(1000))).toHaveLength(2001);
    for (const depth of [1001, 100_000]) {
      expect(() => encode('json', nested(depth))).toThrow(
        expect.objectContaining({ code: 'REQUEST_INVALID' }),
      );
    }
  });
});

describe('urlencoded', () => {
  it.each<[string, unknown, string]>([
    ['pairs', { a: '1 2', b: 'x&y', c: undefined, d: null, e: '' }, 'a=1+2&b=x%26y&e='],
    ['lists', { a: ['x', undefined, 'y'] }, 'a=x&a=y'],
    ['values', { n: 1.5, t: true, d: new Date(0) }, 'n=1.5&t=true&d=1970-01-01T00%3A00%3A00.000Z'],
    [
      'nested',
      { a: { b: { c: 1 } }, l: [{ x: 1 }, { x: 2 }] },
      'a%5Bb%5D%5Bc%5D=1&l%5B0%5D%5Bx%5D=1&l%5B1%5D%5Bx%5D=2',
    ],
    ['text as it is', 'a=1&b=%20', 'a=1&b=%20'],
    ['special characters', { "a!'()*~": 'ü\n\ud800' }, 'a%21%27%28%29*%7E=%C3%BC%0A%EF%BF%BD'],
  ])('%s', (_title, value, expected) => expect(encode('urlencoded', value)).toBe(expected));

  it('round-trips through parseForm', () => {
    const text = encode('urlencoded', { 'ä b': '+%&=#\'"\r\n€' }) ?? '';
    expect([...new URLSearchParams(text)]).toEqual([['ä b', '+%&=#\'"\r\n€']]);
  });

  it('rejects other values and circular references', () => {
    expect(() => encode('urlencoded', 5)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    const loop: Record<string, unknown> = {};
    loop['a'] = loop;
    expect(() => encode('urlencoded', loop)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

describe('text and binary', () => {
  it.each<[RequestType, unknown, string | undefined]>([
    ['text', 'hé', 'hé'],
    ['raw', 12, '12'],
    ['string', { a: 1 }, '{"a":1}'],
    ['text', [1], '[1]'],
    ['text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['text', null, undefined],
    ['text', '', ''],
    ['raw', Buffer.from('bytes'), 'bytes'],
    ['binary', Buffer.from('bytes'), 'bytes'],
    ['binary', 'text', 'text'],
    ['binary', undefined, undefined],
  ])('%s %j', (type, value, expected) => {
    expect(encode(type, value)).toBe(expected);
    expect(encodeBody(type, value, Math.random).contentType).toBeUndefined();
  });

  it('rejects a collection as binary', () => {
    expect(() => encode('binary', { a: 1 })).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

it('encodes forms like the URL standard', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = new URLSearchParams({ a: text }).toString().slice(2);
      expect(encodeFormComponent(text)).toBe(expected);
    }),
  );
});

interface ReadPart {
  readonly name: string;
  readonly content: string;
  readonly filename?: string | undefined;
  readonly type?: string;
}

const random = (): number => 0.25;

function encodeParts(value: unknown, source: () => number): EncodedBody {
  return encodeMultipart(value, source);
}

/** Parses a body with an independent parser. */
function read(value: unknown, source: () => number = random): Promise<ReadPart[]> {
  const { body, contentType = '' } = encodeParts(value, source);
  return new Promise((resolve, reject) => {
    const parts: ReadPart[] = [];
    const parser = busboy({ headers: { 'content-type': contentType }, defParamCharset: 'utf8' });
    parser.on('field', (name, content, info) => {
      parts.push({ name, content, ...(info.mimeType !== 'text/plain' && { type: info.mimeType }) });
    });
    parser.on('file', (name, stream, info) => {
      const chunks: Buffer[] = [];
      const place = parts.push({ name, content: '' }) - 1;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const content = Buffer.concat(chunks).toString('latin1');
        parts[place] = { name, content, filename: info.filename, type: info.mimeType };
      });
    });
    parser.on('close', () => resolve(parts));
    parser.on('error', reject);
    parser.end(Buffer.from(body ?? []));
  });
}

const raw = (value: unknown): string => Buffer.from(encodeParts(value, random).body ?? []).toString('utf8');

describe('encodeMultipart', () => {
  it('encodes a file and a text part', async () => {
    const value = {
      file: { value: Buffer.from('hello'), options: { filename: 'a.txt', contentType: 'text/plain' } },
      deal: 12,
    };
    expect(await read(value)).toEqual([
      { name: 'file', content: 'hello', filename: 'a.txt', type: 'text/plain' },
      { name: 'deal', content: '12' },
    ]);
  });

  it('encodes one part per list item, and none for undefined and null', async () => {
    const file = (text: string): unknown => ({ value: text, options: { filename: `${text}.txt` } });
    const value = {
      a: ['x', undefined, 'y'],
      none: undefined,
      nul: null,
      gone: { value: null },
      f: [file('1'), file('2')],
    };
    expect(await read(value)).toEqual([
      { name: 'a', content: 'x' },
      { name: 'a', content: 'y' },
      { name: 'f', content: '1', filename: '1.txt', type: 'application/octet-stream' },
      { name: 'f', content: '2', filename: '2.txt', type: 'application/octet-stream' },
    ]);
  });

  it('keeps bytes unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const [part] = await read({ f: { value: bytes, options: { filename: 'b' } } });
    expect(part?.content).toBe(bytes.toString('latin1'));
  });

  it('encodes dates, booleans and nested values as text', async () => {
    const value = { d: new Date(0), b: false, o: { a: [1] }, v: { value: 1, other: 2 } };
    expect(await read(value)).toEqual([
      { name: 'd', content: '1970-01-01T00:00:00.000Z' },
      { name: 'b', content: 'false' },
      { name: 'o', content: '{"a":[1]}' },
      { name: 'v', content: '{"value":1,"other":2}' },
    ]);
  });

  it('accepts binary data alone and text parts with a content type', () => {
    expect(raw({ b: Buffer.from('x') })).toContain(
      'name="b"\r\nContent-Type: application/octet-stream\r\n\r\nx',
    );
    expect(raw({ j: { value: '{}', options: { contentType: 'application/json' } } })).toContain(
      'name="j"\r\nContent-Type: application/json\r\n\r\n{}',
    );
  });

  it.each([
    ['quotes', 'a"b.txt', 'a%22b.txt'],
    ['line breaks', 'a\r\nX-Evil: 1\r\n\r\n.txt', 'a%0D%0AX-Evil: 1%0D%0A%0D%0A.txt'],
    ['a path', '../../etc/passwd', 'passwd'],
    ['a Windows path', 'C:\\temp\\a.txt', 'a.txt'],
    ['NUL', 'a\0.txt', 'a%00.txt'],
    ['letters beyond ASCII', 'žluť 日本.txt', 'žluť 日本.txt'],
  ])('escapes a file name with %s', async (_title, filename, expected) => {
    const parts = await read({ f: { value: 'x', options: { filename } } });
    expect(parts).toEqual([
      { name: 'f', content: 'x', filename: expected, type: 'application/octet-stream' },
    ]);
  });

  it('escapes a field name', async () => {
    expect(await read({ 'a"\r\nb': 'x' })).toEqual([{ name: 'a%22%0D%0Ab', content: 'x' }]);
  });

  it('rejects a content type with a line break', () => {
    const value = { f: { value: 'x', options: { contentType: 'text/plain\r\nX: 1' } } };
    expect(() => raw(value)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it.each([['text'], [5], [[1]], [null]])('rejects %j as a body', (value) => {
    expect(() => raw(value)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('chooses a boundary that no part contains, even with a poor random source', async () => {
    const first = encodeParts({ a: '1' }, random).contentType?.split('boundary=')[1] ?? '';
    const hostile = {
      a: `\r\n--${first}--\r\n`,
      [`x${first}`]: 'name',
      f: { value: Buffer.from(`--${first}`) },
    };
    const parts = await read(hostile);
    expect(parts.map((part) => part.content)).toEqual([`\r\n--${first}--\r\n`, 'name', `--${first}`]);
  });

  it('encodes an empty collection as a closing boundary', async () => {
    expect(await read({})).toEqual([]);
  });
});
