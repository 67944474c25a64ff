import type { AppDefinition } from '../../src/index.js';
import { SECRETS } from './secret-service.js';

/** Quotes all available data, like a careless author. */
const QUOTE = [
  'Refused: {{connection.key}} {{parameters.word}} {{parameters.rows[1].word}} {{common.secret}}',
  '{{connection.sid}} {{temp.token}} {{body.text}} {{body.echo}} {{createJSON(body)}}',
  '{{base64(connection.key)}} {{encodeURL(parameters.word)}} {{createJSON(connection)}} {{createJSON(headers)}}',
  '{{base64("user:" + parameters.word)}} {{createJSON(createJSON(common))}}',
].join(' ');

const ERROR = {
  message: `[{{statusCode}}] ${QUOTE}`,
  type: 'RuntimeError',
  401: { type: 'InvalidAccessTokenError', message: `401 ${QUOTE}` },
};

const FIRST = {
  url: '/login',
  method: 'POST',
  headers: { 'X-Literal-Key': SECRETS.literal },
  body: { user: 'ann', password: '{{parameters.word}}', note: 'in a sentence: {{common.secret}}.' },
  response: { temp: { token: '{{body.access_token}}' }, error: ERROR },
};

const SECOND = {
  url: '/data/{{encodeURL(temp.token)}}',
  method: 'POST',
  qs: { q: '{{temp.token}}', word: '{{parameters.word}}', session: '{{connection.sid}}' },
  body: { all: '{{parameters}}', text: 'key={{connection.key}}', rows: '{{parameters.rows}}' },
  response: { error: ERROR, iterate: '{{body.items}}', output: { id: '{{item.id}}' } },
};

const BASE = {
  headers: {
    Authorization: 'Bearer {{connection.key}}',
    Cookie: 'sid={{encodeURL(connection.sid)}}',
    'X-Of-Common': '{{encodeURL(common.secret)}}',
  },
  qs: { access_token: '{{connection.key}}' },
};

const FORM: readonly unknown[] = [
  { name: 'word', type: 'password', required: true },
  { name: 'rows', type: 'array', spec: [{ name: 'word', type: 'password' }] },
  { name: 'count', type: 'number' },
];

export const PARAMETERS: Readonly<Record<string, unknown>> = {
  word: SECRETS.password,
  rows: [{ word: SECRETS.item }],
};

export const CONNECTION: Readonly<Record<string, unknown>> = { key: SECRETS.key, sid: SECRETS.sid };

export const COMMON: Readonly<Record<string, unknown>> = { secret: SECRETS.common };

/** Custom functions that debug their arguments. */
const FUNCTIONS = {
  giveBack: { code: 'function giveBack(x) { return x; }' },
  complain: { code: 'function complain(x) { throw new Error("I do not like " + x + " at all"); }' },
  encode: {
    code: `function encode(x) {
      const twice = encodeURIComponent(encodeURIComponent(x));
      const coded = ['base64', 'base64url', 'hex'].map((form) => Buffer.from(x).toString(form));
      const upper = Buffer.from(x).toString('hex').toUpperCase();
      throw new TypeError([encodeURIComponent(x), twice, JSON.stringify({ x }), upper, ...coded].join(' '));
    }`,
  },
  named: { code: 'function named(x) { const e = new Error("no"); e.name = x; throw e; }' },
  plain: { code: 'function plain(x) { throw { message: x, x }; }' },
  text: { code: 'function text(x) { throw x; }' },
  loop: { code: 'function loop(x) { const s = x; return iml.parseDate(s, s); }' },
};

/** Failures of the second request: a name, and the replaced members. */
export const FAILURES: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ...['400', '401', '429', '503'].map(
    (status) => [`status ${status}`, { url: `/status/${status}` }] as const,
  ),
  ['a refusal in chunks', { url: '/split' }],
  ['text that is no JSON', { url: '/no-json' }],
  ['JSON that ends early', { url: '/half' }],
  ['invalid XML', { url: '/xml', response: { type: 'xml', error: ERROR } }],
  ['gzip that ends early', { url: '/gzip' }],
  ['a connection that breaks', { url: '/reset' }],
  ['a body that breaks off', { url: '/cut' }],
  ['redirects without end', { url: '/loop' }],
  ['a redirect with credentials to another scheme', { url: '/elsewhere' }],
  ['a redirect to a private address', { url: '/inside' }],
  ['a refused address', { url: 'http://10.9.8.7/{{connection.key}}?x={{parameters.word}}' }],
  [
    'credentials in the address',
    { url: 'http://{{encodeURL(connection.key)}}:{{encodeURL(parameters.word)}}@10.9.8.7/' },
  ],
  ['an invalid address', { url: 'http://[{{connection.key}}/' }],
  ['an invalid scheme', { url: '{{connection.key}}://x/' }],
  ['an invalid port', { url: 'http://127.0.0.1:{{connection.key}}/' }],
  ['an invalid method', { method: '{{connection.key}} {{parameters.word}}' }],
  ['an invalid type', { type: '{{connection.key}}' }],
  ['a header with a line break', { headers: { 'X-A': '{{connection.key}}{{newline}}{{parameters.word}}' } }],
  ['an invalid header name', { headers: { 'X {{parameters.word}}': 'a' } }],
  ['headers that are text', { headers: '{{connection.key}}' }],
  ['a query that is text', { qs: '{{parameters.word}}' }],
  ['a body that no form can hold', { type: 'urlencoded', body: '{{parameters.word}}' }],
  ['an invalid multipart body', { type: 'multipart/form-data', body: '{{parameters.word}}' }],
  ['an invalid certificate', { ca: '{{parameters.word}}' }],
  [
    'an invalid signature',
    { oauth: { signature_method: '{{connection.key}}', consumer_secret: '{{common.secret}}' } },
  ],
  [
    'aws without a region',
    { aws: { key: '{{connection.key}}', secret: '{{parameters.word}}', sign_version: '{{common.secret}}' } },
  ],
  ['a temp that is text', { temp: '{{connection.key}}' }],
  ['a condition that fails', { condition: '{{parseDate(connection.key; "YYYY")}}' }],
  ['an invalid date', { body: '{{formatDate(connection.key; "YYYY")}}' }],
  ['a function that does not exist', { body: '{{nothing(connection.key)}}' }],
  ['an invalid number', { body: '{{parseNumber(parameters.word; ".") + sum(parameters.word)}}' }],
  ['invalid JSON', { body: '{{parseJSON(connection.key + parameters.word)}}' }],
  ['a map of text', { body: '{{map(parameters.word; common.secret)}}' }],
  ['an invalid pattern', { body: '{{replace("a"; "/(" + connection.key + "/"; "b")}}' }],
  ['an invalid hash', { body: '{{sha256(parameters.word; common.secret; connection.key; "x")}}' }],
  ['an invalid timezone', { body: '{{formatDate(now; "YYYY"; connection.key)}}' }],
  ['a spread of text', { body: { '{{...}}': '{{parameters.word}}' } }],
  ...Object.keys(FUNCTIONS).map(
    (name) =>
      [`the function ${name}`, { body: `{{${name}(parameters.word)}}{{${name}(connection.key)}}` }] as const,
  ),
  ['an invalid response type', { response: { type: '{{connection.key}}', error: ERROR } }],
  ['a response that is not valid', { response: { valid: false, error: QUOTE } }],
  [
    'a message and a type of its own',
    { response: { valid: { condition: false, type: '{{connection.key}}', message: QUOTE } } },
  ],
  ['an invalid iterate value', { response: { iterate: '{{connection.key}}' } }],
  ['an invalid limit', { response: { iterate: '{{body.items}}', limit: '{{connection.key}}' } }],
  ['a wrapper that fails', { response: { output: '{{body}}', wrapper: '{{complain(connection.key)}}' } }],
  [
    'an invalid next page',
    {
      response: { iterate: '{{body.items}}', output: { id: '{{item.id}}' } },
      pagination: { url: 'http://[{{connection.key}}', condition: true },
    },
  ],
  [
    'an invalid repetition',
    { repeat: { condition: true, delay: '{{connection.key}}', limit: '{{parameters.word}}' } },
  ],
  [
    'an endpoint that does not exist',
    { url: undefined, endpoint: '{{connection.key}}', input: { a: '{{parameters.word}}' } },
  ],
]);

/** Bodies in other formats. */
export const BODIES: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ['JSON', {}],
  [
    'a form',
    {
      type: 'urlencoded',
      body: { token: '{{connection.key}}', word: '{{parameters.word}}', sid: '{{connection.sid}}' },
    },
  ],
  [
    'parts',
    {
      type: 'multipart/form-data',
      body: {
        word: '{{parameters.word}}',
        file: { value: '{{connection.key}}', options: { filename: '{{connection.key}}.txt' } },
      },
    },
  ],
  ['text', { type: 'text', body: 'Key {{connection.key}} and {{parameters.word}}' }],
  [
    'XML text',
    {
      type: 'raw',
      headers: { 'Content-Type': 'text/xml' },
      body: '<a><password>{{parameters.word}}</password><b c="{{common.secret}}"/></a>',
    },
  ],
  ['bytes', { type: 'binary', body: '{{toBinary(parameters.word)}}' }],
]);

/** An app whose module sends all secrets, and whose second request is changed by `patch`. */
export function secretApp(origin: string, patch: Readonly<Record<string, unknown>>): AppDefinition {
  const { url, ...rest } = { ...SECOND, ...patch };
  const second = url === undefined ? rest : { ...rest, url };
  return {
    name: 'secrets',
    base: { ...BASE, baseUrl: origin },
    common: COMMON,
    functions: FUNCTIONS,
    modules: { act: { type: 'search', communication: [FIRST, second], mappableParams: FORM } },
  };
}
