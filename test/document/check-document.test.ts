import { describe, expect, it } from 'vitest';
import { collectWarnings, createDocument, type Warning } from '../../src/engine/document/document.js';
import { readDocument } from '../../src/engine/document/jsonc.js';
import { checkShape, checkTemplates } from '../../src/engine/loading/check-app.js';
import { formatLocation } from '../../src/index.js';

type DocumentKind = Parameters<typeof checkShape>[1];

function shapeWarnings(kind: DocumentKind, value: unknown): string[] {
  const warnings: Warning[] = [];
  checkShape(createDocument(value), kind, collectWarnings(warnings));
  return warnings.map((warning) => `${warning.code} ${warning.place.pointer}`);
}

function templateWarnings(text: string): string[] {
  const warnings: Warning[] = [];
  checkTemplates(readDocument(text, 'f'), collectWarnings(warnings));
  expect(warnings.every((warning) => warning.code === 'syntax')).toBe(true);
  return warnings.map((warning) => formatLocation(warning.place));
}

describe('checkShape', () => {
  const WHOLE = {
    url: '/x',
    encodeUrl: false,
    method: 'POST',
    headers: { 'X-A': 1 },
    qs: { a: ['b'] },
    ca: 'pem',
    body: { anything: { goes: 1 } },
    type: 'json',
    temp: { anything: 1 },
    condition: { condition: '{{a}}', default: [] },
    gzip: true,
    aws: { key: 'k', secret: 's', session: 't', bucket: 'b', sign_version: '4' },
    followRedirects: true,
    followAllRedirects: false,
    log: { sanitize: ['request.body'] },
    oauth: { consumer_key: 'k', signature_method: 'HMAC-SHA1', body_hash: true },
    pagination: {
      mergeWithParent: false,
      url: '',
      method: 'GET',
      headers: {},
      qs: {},
      body: 1,
      condition: true,
    },
    repeat: { condition: '{{a}}', delay: 1, limit: 2 },
    response: {
      type: { '*': 'json', '400-499': 'text', 204: 'raw' },
      valid: { condition: true, message: 'm', type: 't' },
      error: { message: 'm', type: 't', 404: { message: 'm', type: 't' }, 409: 'short' },
      limit: '{{parameters.limit}}',
      iterate: { container: 'body', condition: '{{item}}' },
      temp: {},
      output: { anything: 1 },
      trigger: { type: 'id', order: 'asc', id: '{{item.id}}', date: '' },
      data: { anything: 1 },
      metadata: { value: 'v', type: 'text' },
      uid: 'u',
      wrapper: [],
      expires: 'e',
    },
  };

  it('accepts every documented key of a request', () => {
    expect(shapeWarnings('api', WHOLE)).toEqual([]);
    expect(shapeWarnings('api', [WHOLE, WHOLE])).toEqual([]);
    expect(shapeWarnings('api', {})).toEqual([]);
    expect(shapeWarnings('api', { url: null, headers: '{{parameters.headers}}', qs: null })).toEqual([]);
  });

  it.each<[DocumentKind, unknown, string[]]>([
    ['api', { uri: '/x' }, ['unknown-key /uri']],
    ['api', [{ url: '/' }, { proxy: 1 }], ['unknown-key /1/proxy']],
    ['api', { baseUrl: 'x' }, ['unknown-key /baseUrl']],
    ['api', { timeout: 1 }, []],
    ['api', { timeout: '{{common.timeout}}' }, []],
    ['api', { timeout: '5m' }, ['wrong-type /timeout']],
    ['base', { timeout: '5m' }, ['wrong-type /timeout']],
    ['common', { timeout: '5m', client: { id: 1 } }, ['wrong-type /timeout']],
    ['api', { uid: 1 }, ['unknown-key /uid']],
    ['api', { response: { outputs: 1 } }, ['unknown-key /response/outputs']],
    ['api', { response: { error: { '4xx': {} } } }, ['unknown-key /response/error/4xx']],
    ['api', { response: { error: { 404: { text: 1 } } } }, ['unknown-key /response/error/404/text']],
    ['api', { response: { type: { 2: 'json' } } }, ['unknown-key /response/type/2']],
    ['api', { response: { valid: { if: 1 } } }, ['unknown-key /response/valid/if']],
    ['api', { pagination: { response: {} } }, ['unknown-key /pagination/response']],
    ['api', { repeat: { times: 1 } }, ['unknown-key /repeat/times']],
    ['api', { log: { hide: [] } }, ['unknown-key /log/hide']],
    ['api', { aws: { region: 'x' } }, ['unknown-key /aws/region']],
    ['api', { oauth: { consumerKey: 'x' } }, ['unknown-key /oauth/consumerKey']],
    ['api', { condition: { else: 1 } }, ['unknown-key /condition/else']],
    ['api', { verification: { respond: { code: 1 } } }, ['unknown-key /verification/respond/code']],
    ['base', { baseUrl: 'x', timeout: 1, response: { uid: 1 } }, []],
    ['base', { gzip: true, repeat: {} }, ['unknown-key /gzip', 'unknown-key /repeat']],
    [
      'base',
      { response: { trigger: {}, expires: 1 } },
      ['unknown-key /response/trigger', 'unknown-key /response/expires'],
    ],
    [
      'webhook',
      { verification: {}, respond: {}, iterate: 'body', output: 1, condition: true, uid: '{{body.id}}' },
      [],
    ],
    ['oauth', { token: { url: '/' }, authorize: { urll: 1 } }, ['unknown-key /authorize/urll']],
    ['oauth', { oauth: {}, requestToken: {}, accessToken: {}, preauthorize: [{}], invalidate: {} }, []],
    ['oauth', { tokens: {} }, ['unknown-key /tokens']],
    [
      'epoch',
      { gzip: true, response: { output: {}, wrapper: 1 } },
      ['unknown-key /gzip', 'unknown-key /response/wrapper'],
    ],
    ['endpoint', { endpoint: 'x' }, ['unknown-key /endpoint']],
    ['responder', { response: { status: 200, headers: {}, body: 1, type: 'json' } }, []],
    ['api', { response: { status: 200 } }, ['unknown-key /response/status']],
    ['api', { $schema: 'x' }, []],
    [
      'api',
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
      ['unknown-key /__proto__', 'unknown-key /constructor'],
    ],
  ])('%s %j', (kind, value, expected) => {
    expect(shapeWarnings(kind, value)).toEqual(expected);
  });

  it.each<[DocumentKind, unknown, string[]]>([
    ['api', 'text', ['wrong-type ']],
    ['api', [1, null], ['wrong-type /0']],
    ['api', { url: ['x'] }, ['wrong-type /url']],
    ['api', { response: [] }, ['wrong-type /response']],
    ['api', { headers: [] }, ['wrong-type /headers']],
    ['api', { pagination: true }, ['wrong-type /pagination']],
    ['epoch', [{}], ['wrong-type ']],
    ['oauth', [], ['wrong-type ']],
    ['parameters', [{ name: 'a', type: 'text' }, 'rpc://x'], []],
    ['parameters', 'rpc://x', []],
    ['parameters', {}, []],
    ['parameters', { name: 'a' }, ['wrong-type ']],
    [
      'parameters',
      [1, null, { name: 2 }, []],
      ['wrong-type /0', 'wrong-type /1', 'wrong-type /2/name', 'wrong-type /3'],
    ],
    ['object', [], ['wrong-type ']],
    ['any', [1], []],
  ])('%s %j is checked by type', (kind, value, expected) => {
    expect(shapeWarnings(kind, value)).toEqual(expected);
  });

  it('suggests the nearest key at the location of the name', () => {
    const warnings: Warning[] = [];
    checkShape(readDocument('{\n  "mehtod": "GET"\n}', 'f'), 'api', collectWarnings(warnings));
    expect(warnings).toEqual([
      {
        code: 'unknown-key',
        message: 'Unknown key "mehtod" in a request. Did you mean "method"?',
        place: { file: 'f', pointer: '/mehtod', line: 2, column: 3 },
      },
    ]);
  });
});

describe('checkTemplates', () => {
  it('accepts templates, plain text and the spread key', () => {
    expect(templateWarnings('{"a": "{{b + 1}} }}", "{{...}}": "{{c}}", "{{d}}": [1, null, "x"]}')).toEqual(
      [],
    );
  });

  it('reports the location of the error in the file', () => {
    expect(templateWarnings('{"a":\n  ["{{b c}}"]}')).toEqual(['f#/a/0:2:9']);
  });

  it('maps offsets through escapes', () => {
    expect(templateWarnings('{"a": "\\n\\u0041{{b c}}"}')).toEqual(['f#/a:1:20']);
  });

  it('checks names', () => {
    expect(templateWarnings('{"{{b c}}": 1}')).toEqual(['f#/{{b c}}:1:7']);
  });

  it('reports an unclosed template', () => {
    expect(templateWarnings('{"a": "{{if(b; 1"}')).toHaveLength(1);
  });
});

describe('createDocument', () => {
  it('copies JSON data and starts its locations at the root', () => {
    const value = { a: [1, { b: undefined, c: null }] };
    const document = createDocument(value, '/base');
    value.a.push(2);
    expect(document.value).toStrictEqual({ a: [1, { c: null }] });
    expect(document.locationOf('/a')).toEqual({ pointer: '/base/a' });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each<[string, unknown, string]>([
    ['a function', { a: () => 1 }, '/a'],
    ['a date', [new Date(0)], '/0'],
    ['a class instance', { 'a/b': new Map() }, '/a~1b'],
    ['NaN', { a: Number.NaN }, '/a'],
    ['a bigint', { a: 1n }, '/a'],
    ['a cycle', cyclic, ''],
    [
      'a getter that throws',
      {
        get a(): string {
          throw new TypeError('no');
        },
      },
      '',
    ],
  ])('rejects %s', (_title, value, pointer) => {
    expect(() => createDocument(value)).toThrow(
      expect.objectContaining({ code: 'SPEC_INVALID', place: { pointer } }),
    );
  });
});
