import { describe, expect, it } from 'vitest';
import {
  buildHeaders,
  findHeader,
  headerName,
  mergeHeaders,
  withHeader,
} from '../../src/engine/http/headers.js';

const HOST = 'api.example.test';
const build = (values: Record<string, unknown>) => buildHeaders([values], HOST);

describe('headerName', () => {
  it.each([
    ['tESt-wiTh-dAsh', 'Test-With-Dash'],
    ['authorization', 'Authorization'],
    ['X-API-KEY', 'X-Api-Key'],
    ['x', 'X'],
    ['-a--b', '-A--B'],
  ])('%s -> %s', (name, expected) => expect(headerName(name)).toBe(expected));
});

describe('mergeHeaders', () => {
  it('compares names case-insensitively; the later value wins and keeps the position', () => {
    const merged = mergeHeaders({ 'X-Mode': 'base', A: 1 }, undefined, { 'x-mode': 'module', b: 2 });
    expect(Object.entries(merged)).toEqual([
      ['X-Mode', 'module'],
      ['A', 1],
      ['B', 2],
    ]);
  });
});

describe('buildHeaders', () => {
  it('drops undefined and null, keeps empty text, repeats lists, converts values to text', () => {
    const { headers } = build({
      'x-none': undefined,
      'x-null': null,
      'x-empty': '',
      'x-list': ['a', null, 'b'],
      'x-number': 5,
      'x-yes': true,
      'x-date': new Date(0),
      'x-latin': 'é',
    });
    expect(headers).toEqual([
      ['X-Empty', ''],
      ['X-List', 'a'],
      ['X-List', 'b'],
      ['X-Number', '5'],
      ['X-Yes', 'true'],
      ['X-Date', '1970-01-01T00:00:00.000Z'],
      ['X-Latin', 'é'],
    ]);
  });

  it.each([
    ['LF', 'se\ncret'],
    ['CR', 'se\rcret'],
    ['CRLF and a header', 'secret\r\nX-Evil: 1'],
    ['NUL', 'secret\0'],
    ['DEL', 'secret\u007f'],
    ['beyond Latin-1', 'secret€'],
    ['a trailing newline', 'secret\n'],
  ])('rejects a value with %s without quoting it', (_title, value) => {
    try {
      build({ 'x-key': value });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'REQUEST_INVALID', message: expect.stringContaining('"X-Key"') });
      expect(String(error)).not.toContain('cret');
    }
  });

  it.each(['', 'a b', 'a:b', 'a\nb', 'ä', 'a\0', 'a/b'])('rejects the name %j', (name) => {
    expect(() => build({ [name]: 'x' })).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it('rejects a collection', () => {
    expect(() => build({ 'x-a': { b: 1 } })).toThrow(/"X-A".*collection/);
  });

  it('ignores transport headers and reports them', () => {
    const built = build({
      'content-length': '999',
      'Transfer-Encoding': 'chunked',
      connection: 'close',
      expect: '100-continue',
      upgrade: 'websocket',
      host: 'API.example.test',
      accept: '*/*',
    });
    expect(built.headers).toEqual([['Accept', '*/*']]);
    expect(built.ignored).toEqual(['Content-Length', 'Transfer-Encoding', 'Connection', 'Expect', 'Upgrade']);
  });

  it('keeps the Host header if the user redirected the request', () => {
    expect(buildHeaders([{ host: 'api.elsewhere.test' }], HOST, () => true)).toEqual({
      headers: [['Host', 'api.elsewhere.test']],
      ignored: [],
    });
  });

  it('rejects the Host of another server', () => {
    expect(() => build({ host: 'internal.test' })).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });
});

describe('header entries', () => {
  it('are found and replaced case-insensitively', () => {
    const headers = withHeader(
      [
        ['A', '1'],
        ['b', '2'],
        ['B', '3'],
      ],
      'B',
      '4',
    );
    expect(headers).toEqual([
      ['A', '1'],
      ['B', '4'],
    ]);
    expect(findHeader(headers, 'a')).toBe('1');
    expect(findHeader(headers, 'c')).toBeUndefined();
  });
});
