import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transportFailure } from '../../src/engine/http/undici-transport.js';
import { createEngine, loadApp } from '../../src/index.js';
import { printError } from '../../src/tools/cli/output/print-error.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { type Answer, engineOf, respond, service } from './helpers.js';

const errorOf = async (answer: Answer, response: unknown = {}) => {
  const { transport } = service(() => answer);
  return (await engineOf({ url: '/x', response }, { http: { transport } }).run()).error;
};

describe('the defaults of a status', () => {
  it.each([
    [400, 'RuntimeError', 'Status Code Error: 400'],
    [404, 'RuntimeError', 'Status Code Error: 404'],
    [428, 'RuntimeError', 'Status Code Error: 428'],
    [429, 'RateLimitError', 'Third party API limit likely exceeded'],
    [430, 'RuntimeError', 'Status Code Error: 430'],
    [499, 'RuntimeError', 'Status Code Error: 499'],
    [500, 'ConnectionError', 'Service is temporarily unavailable.'],
    [503, 'ConnectionError', 'Service is temporarily unavailable.'],
    [599, 'ConnectionError', 'Service is temporarily unavailable.'],
  ] as const)('%i: %s, "%s", whatever valid says', async (statusCode, type, message) => {
    const error = await errorOf({ status: statusCode, json: {} }, { valid: true });
    expect(error).toMatchObject({ type, message, statusCode });
  });

  it('report an invalid response below 400', async () => {
    expect(await errorOf({ status: 200, json: {} }, { valid: false })).toMatchObject({
      type: 'RuntimeError',
      message: 'Response marked as invalid.',
    });
  });

  it('accept 200 to 399', async () => {
    for (const status of [200, 204, 301, 304, 399]) expect(await errorOf({ status })).toBeUndefined();
  });

  it('treat statuses beyond 599 as errors', async () => {
    expect(await errorOf({ status: 600, json: {} })).toMatchObject({ type: 'RuntimeError' });
  });
});

describe('response.error', () => {
  it('reads its message from body and headers', async () => {
    const error = { message: '[{{statusCode}}] {{body.e}} ({{headers.`X-Id`}})' };
    const answer = { status: 418, json: { e: 'teapot' }, headers: { 'x-id': '7' } };
    expect(await errorOf(answer, { error })).toMatchObject({ message: '[418] teapot (7)' });
  });

  it('uses the default if its message is empty', async () => {
    expect(await errorOf({ status: 404, json: {} }, { error: '{{body.nothing}}' })).toMatchObject({
      message: 'Status Code Error: 404',
    });
  });

  it('uses the general type for an entry without a type, then the default', async () => {
    const entry = { '500': { message: 'down' } };
    expect(await errorOf({ status: 500 }, { error: entry })).toMatchObject({
      type: 'ConnectionError',
      message: 'down',
    });
    expect(await errorOf({ status: 500 }, { error: { ...entry, type: 'DataError' } })).toMatchObject({
      type: 'DataError',
    });
  });

  it('uses an entry that is a text as the message', async () => {
    expect(await errorOf({ status: 403 }, { error: { '403': 'no' } })).toMatchObject({ message: 'no' });
  });

  it('reports an unknown type as UnknownError', async () => {
    expect(await errorOf({ status: 400 }, { error: { type: 'Wat', message: 'm' } })).toMatchObject({
      type: 'UnknownError',
    });
  });

  it('can read a body that does not match its content type', async () => {
    const answer = {
      status: 502,
      text: '<html>bad gateway',
      headers: { 'content-type': 'application/json' },
    };
    expect(await errorOf(answer, { error: 'got {{body}}' })).toMatchObject({
      message: 'got <html>bad gateway',
    });
  });

  it('converts a message that is a collection to text', async () => {
    expect(await errorOf({ status: 400, json: { a: { b: 1 } } }, { error: '{{body.a}}' })).toMatchObject({
      message: '{object}',
    });
  });

  it('reads an entry that is a single expression', async () => {
    const json = { '404': 'gone', '405': { message: 'not so', type: 'DataError' }, message: 'general' };
    const given = { error: '{{body}}' };
    expect(await errorOf({ status: 404, json }, given)).toMatchObject({ message: 'gone' });
    expect(await errorOf({ status: 405, json }, given)).toMatchObject({
      message: 'not so',
      type: 'DataError',
    });
    expect(await errorOf({ status: 406, json }, given)).toMatchObject({ message: 'general' });
  });

  it('shows any collection in a message as text', async () => {
    const error = { message: '{{body.error}}' };
    expect(await errorOf({ status: 400, json: { error: { message: 'm' } } }, { error })).toMatchObject({
      message: '{object}',
    });
  });

  it.each([
    ['the whole entry', { error: "{{errorFactory('DataError'; 'Not found: ' + body.what)}}" }],
    [
      'the entry of a status',
      { error: { '404': "{{errorFactory('DataError'; 'Not found: ' + body.what)}}" } },
    ],
    [
      'an entry behind a general type',
      { error: { '404': "{{errorFactory('DataError'; 'Not found: ' + body.what)}}", type: 'RuntimeError' } },
    ],
  ])('has type and message of what errorFactory makes, as %s', async (_, response) => {
    const error = await errorOf({ status: 404, json: { what: 'x' } }, response);
    expect(error).toMatchObject({ type: 'DataError', message: 'Not found: x', statusCode: 404 });
  });

  it('prefers the type of errorFactory to that of valid', async () => {
    const error = "{{errorFactory('DataError'; 'Made.')}}";
    expect(
      await errorOf({ json: {} }, { valid: { condition: false, type: 'RuntimeError' }, error }),
    ).toMatchObject({ type: 'DataError', message: 'Made.' });
  });

  it('ends with a Warning of errorFactory', async () => {
    const error = "{{errorFactory('Warning'; 'Partly done.')}}";
    expect(await errorOf({ status: 409 }, { error })).toMatchObject({
      type: 'Warning',
      message: 'Partly done.',
    });
  });

  it('keeps the default message if errorFactory sets none', async () => {
    const error = "{{errorFactory('DataError')}}";
    expect(await errorOf({ status: 404 }, { error })).toMatchObject({
      type: 'DataError',
      message: 'Status Code Error: 404',
    });
  });

  it('has the source location of a failing expression', async () => {
    const error = await errorOf({ status: 400 }, { error: { message: '{{nope(1)}}' } });
    expect(error?.cause).toMatchObject({ type: 'RuntimeError', message: "Function 'nope' not found!" });
    expect(error?.place?.pointer).toBe('/modules/m/communication/response/error/message');
  });
});

describe('valid', () => {
  it.each([[false], [null], [0], [''], ['false'], ['{{body.missing}}'], [{ condition: '{{false}}' }]])(
    'marks a response as invalid with %j',
    async (valid) => {
      expect(await errorOf({ json: {} }, { valid })).toMatchObject({
        message: 'Response marked as invalid.',
        statusCode: 200,
      });
    },
  );

  it.each([[true], [1], ['yes'], ['{{!body.error}}'], [{ condition: true }], [{ message: 'unused' }]])(
    'leaves it alone with %j',
    async (valid) => expect(await errorOf({ json: {} }, { valid })).toBeUndefined(),
  );

  it('has a message and a type that take precedence', async () => {
    const valid = { condition: '{{body.ok}}', message: 'not {{body.what}}', type: 'IncompleteDataError' };
    const error = { '200': { message: 'entry', type: 'DataError' }, message: 'general' };
    expect(await errorOf({ json: { what: 'done' } }, { valid, error })).toMatchObject({
      type: 'IncompleteDataError',
      message: 'not done',
    });
  });
});

describe('an error of a response', () => {
  it.each([
    ['wrapper', '{{nope(1)}}'],
    ['iterate', '{{body.text}}'],
    ['temp', '{{body.text}}'],
    ['type', 'nothing'],
  ])('has the place of the %s that is wrong', async (name, written) => {
    expect(await errorOf({ json: { text: 'a' } }, { [name]: written })).toMatchObject({
      place: { pointer: `/modules/m/communication/response/${name}` },
    });
  });

  it.each([
    [{}, '/url'],
    [{ error: { type: 'DataError' } }, '/response/error'],
    [{ error: { type: 'DataError', message: 'a' } }, '/response/error'],
    [{ error: { 404: { message: 'a' }, message: 'b' } }, '/response/error/404'],
    [{ error: { 404: { type: 'DataError' }, message: 'b' } }, '/response/error'],
    [{ error: { 500: { message: 'a' } } }, '/response/error'],
  ])('has the place where its message is written: %j', async (response, pointer) => {
    expect(await errorOf({ status: 404, json: {} }, response)).toMatchObject({
      place: { pointer: `/modules/m/communication${pointer}` },
    });
  });

  it.each([
    [{ valid: { condition: false }, error: { message: 'b' } }, 'b', '/response/error'],
    [{ valid: { condition: false, message: 'a' }, error: { message: 'b' } }, 'a', '/response/valid'],
    [{ valid: { condition: false } }, 'Response marked as invalid.', '/response/valid'],
  ])('that valid makes has its place, too: %j', async (response, message, pointer) => {
    expect(await errorOf({ json: {} }, response)).toMatchObject({
      message,
      place: { pointer: `/modules/m/communication${pointer}` },
    });
  });

  it('trims its type', async () => {
    const error = { type: ' DataError ', message: 'a' };
    expect(await errorOf({ status: 400, json: {} }, { error })).toMatchObject({ type: 'DataError' });
  });

  it.each([399, 600])('does not occur for status %i if valid is true', async (status) => {
    expect(await errorOf({ status, json: {} }, { valid: true })).toBeUndefined();
  });

  it.each([400, 599])('occurs for status %i regardless of valid', async (status) => {
    expect(await errorOf({ status, json: {} }, { valid: true })).toMatchObject({ statusCode: status });
  });
});

describe('a RateLimitError', () => {
  const rateLimit = (retryAfter: string) => errorOf({ status: 429, headers: { 'retry-after': retryAfter } });

  it('suspends for 20 minutes and reports Retry-After, in seconds or as a date', async () => {
    expect(await rateLimit('120')).toMatchObject({
      delay: 1_200_000,
      retryAfterMs: 120_000,
      retryable: true,
    });
    expect(await rateLimit('Mon, 01 Jan 2024 00:01:30 GMT')).toMatchObject({ retryAfterMs: 90_000 });
  });

  it('has no retryAfterMs if the header is missing or invalid', async () => {
    expect((await errorOf({ status: 429 }))?.retryAfterMs).toBeUndefined();
    expect((await rateLimit('soon'))?.retryAfterMs).toBeUndefined();
  });
});

describe('an exchange without a response', () => {
  it.each([
    ['ECONNREFUSED', 'ConnectionError'],
    ['ECONNRESET', 'ConnectionError'],
    ['ENOTFOUND', 'ConnectionError'],
    ['ETIMEDOUT', 'ConnectionError'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'RuntimeError'],
  ])('by %s is a %s', async (errno, type) => {
    const transport = async () => {
      throw transportFailure({ code: errno }, 'https://api.example.test');
    };
    const { error } = await engineOf({ url: '/x' }, { http: { transport } }).run();
    expect(error).toMatchObject({ type, requestIndex: 0, page: 1 });
    expect(error?.message).toContain('https://api.example.test');
  });
});

describe('an error in a chain', () => {
  it('names the request and the page', async () => {
    const { transport } = service((_, call) => (call < 3 ? { json: [{ n: call }] } : { status: 500 }));
    const paged = {
      url: '/l',
      response: { iterate: 'body' },
      pagination: { qs: { page: '{{pagination.page}}' } },
    };
    const { error } = await engineOf([{ url: '/first' }, paged], { http: { transport } }).run();
    expect(error).toMatchObject({ requestIndex: 1, page: 2 });
  });

  it('stops the chain', async () => {
    const { transport, requests } = service(() => ({ status: 400 }));
    await engineOf([{ url: '/a' }, { url: '/b' }], { http: { transport } }).run();
    expect(requests).toHaveLength(1);
  });
});

describe('an app on disk', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'iml-errors-'));
    const files = {
      'makecomapp.json': JSON.stringify({
        fileVersion: 1,
        generalCodeFiles: { base: 'base.iml.json', common: null, readme: null, groups: null },
        components: {
          module: { get: { moduleType: 'action', codeFiles: { communication: 'get.iml.json' } } },
        },
      }),
      'base.iml.json':
        '{\n  "baseUrl": "https://api.example.test",\n  "response": {\n    "error": "{{oops(body)}}"\n  }\n}',
      'get.iml.json': '// the request\n{\n  "url": "/x",\n  "qs": { "a": "\\t{{upper(1, 2}}" }\n}',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const placeOfError = async (file: string, text?: string) => {
    if (text !== undefined) await writeFile(path.join(folder, file), text);
    const transport = async () => respond({ status: 400 });
    const engine = createEngine({
      app: await loadApp(folder),
      http: { transport },
      clock: createVirtualClock(),
    });
    const { error } = await engine.module('get').run();
    return error?.place;
  };

  it('reports errors with file, line and column', async () => {
    expect(await placeOfError('get.iml.json')).toEqual({
      file: 'get.iml.json',
      pointer: '/qs/a',
      line: 4,
      column: 21,
    });
  });

  it('reports errors of the base in the base', async () => {
    expect(await placeOfError('get.iml.json', '{ "url": "/x" }')).toEqual({
      file: 'base.iml.json',
      pointer: '/response/error',
      line: 4,
      column: 17,
    });
  });
});

describe('an expression as response.error', () => {
  const problem = { message: 'Gone', type: 'DataError' };

  it.each([
    ['message and type', '{{body.problem}}', { problem }, 'DataError', 'Gone'],
    ['a message alone', '{{body.problem}}', { problem: { message: 'Gone' } }, 'ConnectionError', 'Gone'],
    [
      'a type alone',
      '{{body.problem}}',
      { problem: { type: 'DataError' } },
      'DataError',
      'Service is temporarily unavailable.',
    ],
    [
      'entries by status',
      '{{body.problem}}',
      { problem: { message: 'Other', type: 'DataError', 503: { message: 'Later' } } },
      'DataError',
      'Later',
    ],
    ['text', '{{body.problem}}', { problem: 'Gone' }, 'ConnectionError', 'Gone'],
    ['an entry of a status', { 503: '{{body.problem}}' }, { problem }, 'DataError', 'Gone'],
    [
      'an unknown type',
      '{{body.problem}}',
      { problem: { message: 'Gone', type: 'Nonsense' } },
      'UnknownError',
      'Gone',
    ],
  ])('may give %s', async (_, error, json, type, message) => {
    expect(await errorOf({ status: 503, json }, { error })).toMatchObject({ type, message, statusCode: 503 });
  });
});

describe('an expression that fails inside response.error', () => {
  const failing = '{{parseDate(body)}}';

  it.each([
    ['in the message', { message: failing }],
    ['in place of all', failing],
    ['in the entry of the status', { 429: { message: failing } }],
    ['in the type', { type: failing }],
  ])('%s leaves what the status says, and is a warning and the cause', async (_, error) => {
    const { transport } = service(() => ({ status: 429, json: {} }));
    const report = await engineOf({ url: '/x', response: { error } }, { http: { transport } }).run();
    expect(report.error).toMatchObject({
      type: 'RateLimitError',
      message: 'Third party API limit likely exceeded',
      statusCode: 429,
      cause: { type: 'RuntimeError', cause: { code: 'IML_FUNCTION' } },
    });
    expect(report.warnings).toMatchObject([
      { code: 'error-directive', message: expect.stringContaining('parseDate'), place: report.error?.place },
    ]);
    expect(report.error?.place?.pointer).toContain('/response/error');
  });

  it('does not hide invalid input of the embedder', async () => {
    const { transport } = service(() => ({ status: 429, json: {} }));
    let isBroken = false;
    const clock = {
      ...createVirtualClock(),
      now: () => {
        if (isBroken) throw new Error('The clock stands still.');
        return 0;
      },
    };
    const send: typeof transport = async (request, ...rest) => {
      isBroken = true;
      return transport(request, ...rest);
    };
    const spec = { url: '/x', response: { error: { message: '{{now}}' } } };
    await expect(engineOf(spec, { http: { transport: send }, clock }).run()).rejects.toThrow(
      'The clock stands still.',
    );
  });
});

const failing = (answer: Answer) => service(() => answer).transport;

describe('the error of an HTTP response', () => {
  it('contains method, address, status, the start of the body and the location of the request', async () => {
    const text = `{"why":"${'x'.repeat(300)}"}`;
    const transport = failing({ status: 409, text, headers: { 'content-type': 'text/plain' } });
    const base = { baseUrl: 'https://api.example.test', response: { error: { message: 'No' } } };
    const { error } = await engineOf({ url: '/x', method: 'POST' }, { http: { transport }, base }).run();
    expect(error?.place?.pointer).toBe('/base/response/error');
    const merged = { url: '/x', response: { error: { '409': { type: 'DataError' } } } };
    const own = await engineOf(merged, { base, http: { transport } }).run();
    expect(own.error?.place?.pointer).toBe('/base/response/error/message');
    expect(error?.request).toEqual({
      method: 'POST',
      url: 'https://api.example.test/x',
      statusCode: 409,
      body: text.slice(0, 200),
      place: { pointer: '/modules/m/communication/url' },
    });
    expect(error?.toJSON()).toMatchObject({ request: { url: 'https://api.example.test/x' } });
  });

  it('contains no secret of them', async () => {
    const transport = failing({ status: 400, json: { token: 'canary-7f3a9c', said: 'canary-51b2d8' } });
    const spec = { url: '/x', qs: { key: '{{connection.key}}' } };
    const connection = { key: 'canary-51b2d8' };
    const { error } = await engineOf(spec, { http: { transport } }).run({ connection });
    expect(error?.request?.body).toContain('token');
    expect(JSON.stringify(error)).not.toContain('canary');
  });

  it('contains the request without a response', async () => {
    const transport = () =>
      Promise.reject(transportFailure(Object.assign(new Error('gone'), { code: 'ECONNRESET' }), 'https://x'));
    const { error } = await engineOf({ url: '/x' }, { http: { transport } }).run();
    expect(error?.request).toMatchObject({ method: 'GET', url: 'https://api.example.test/x' });
    expect(error?.request?.statusCode).toBeUndefined();
  });

  it('is printed with them', async () => {
    const transport = failing({ status: 404, json: { why: 'gone' } });
    const { error } = await engineOf({ url: '/x' }, { http: { transport } }).run();
    const text = printError(error);
    expect(text).toMatch(/sent +GET https:\/\/api\.example\.test\/x/);
    expect(text).toMatch(/response +\{"why":"gone"\}/);
  });

  it('has the default message if the app sets only the status', async () => {
    const transport = failing({ status: 400, json: {} });
    const response = { error: { message: '[{{statusCode}}] {{body.message}}' } };
    const { error } = await engineOf({ url: '/x', response }, { http: { transport } }).run();
    expect(error?.message).toBe('Status Code Error: 400');
  });
});
