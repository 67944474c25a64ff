import busboy from 'busboy';
import { describe, expect, it } from 'vitest';
import { type EncodedBody, encodeMultipart } from '../../src/http/body/body-encoding.js';

interface ReadPart {
  readonly name: string;
  readonly content: string;
  readonly filename?: string | undefined;
  readonly type?: string;
}

const random = (): number => 0.25;

function encode(value: unknown, source: () => number): EncodedBody {
  return encodeMultipart(value, source);
}

/** Parses a body with an independent parser. */
function read(value: unknown, source: () => number = random): Promise<ReadPart[]> {
  const { body, contentType = '' } = encode(value, source);
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

const raw = (value: unknown): string => Buffer.from(encode(value, random).body ?? []).toString('utf8');

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
    const first = encode({ a: '1' }, random).contentType?.split('boundary=')[1] ?? '';
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
