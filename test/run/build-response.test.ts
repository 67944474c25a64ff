import { describe, expect, it } from 'vitest';
import { compileRespond } from '../../src/document/compile/compile-respond.js';
import { createDocument } from '../../src/document/reading/create-document.js';
import { toEnvironment } from '../../src/iml/compile.js';
import { DEFAULT_LIMITS } from '../../src/run/limits/limits.js';
import { type BuiltResponse, buildResponse } from '../../src/run/response/build-response.js';
import { Run, RunContext } from '../../src/run/scope/run-context.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';

function contextOf(scope: Record<string, unknown>): RunContext {
  const settings = {
    transport: () => Promise.reject(new Error('Nothing is sent.')),
    clock: createVirtualClock(),
    random: () => 0,
    limits: DEFAULT_LIMITS,
    onPageLoop: 'warn',
    trace: 'full',
    onTrace: undefined,
  } as const;
  const rules = { timeoutMs: 1000, callEndpoint: undefined, keepsHost: false };
  return RunContext.start(new Run(settings, rules, []), scope);
}

function build(
  respond: unknown,
  scope: Record<string, unknown> = {},
  textType?: 'json' | 'text',
): BuiltResponse {
  const directives = { environment: toEnvironment({}), functions: {} };
  const document = createDocument({ respond });
  return buildResponse(compileRespond(respond, document, '/respond', directives), contextOf(scope), textType);
}

const shown = ({ status, headers, body }: BuiltResponse): unknown[] => [
  status,
  Object.fromEntries(headers),
  Buffer.from(body).toString('utf8'),
];

describe('buildResponse', () => {
  it.each([
    ['nothing', undefined, [200, {}, '']],
    ['null as body', { body: null }, [200, {}, '']],
    ['a text without type', { body: 'a' }, [200, { 'Content-Type': 'application/json' }, '"a"']],
    ['a text of type text', { type: 'text', body: 'á' }, [200, { 'Content-Type': 'text/plain' }, 'á']],
    [
      'a collection of type text',
      { type: 'text', body: { a: 1 } },
      [200, { 'Content-Type': 'text/plain' }, '{"a":1}'],
    ],
    ['a number', { body: 5 }, [200, { 'Content-Type': 'application/json' }, '5']],
    ['a list', { body: [1, null] }, [200, { 'Content-Type': 'application/json' }, '[1,null]']],
    [
      'a form by its Content-Type',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: { a: 1 } },
      [200, { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=1'],
    ],
    [
      'a type beside a Content-Type',
      { type: 'json', headers: { 'content-type': 'text/html' }, body: '<p>' },
      [200, { 'Content-Type': 'text/html' }, '"<p>"'],
    ],
    ['a status in text', { status: ' 404 ' }, [404, {}, '']],
    ['the lowest and the highest status', { status: 999 }, [999, {}, '']],
    ['an empty status', { status: '{{parameters.none}}' }, [200, {}, '']],
  ])('answers %s', (_, respond, expected) => {
    expect(shown(build(respond))).toEqual(expected);
  });

  it('lets a responder send a text as it is', () => {
    expect(shown(build({ body: 'a' }, {}, 'text'))).toEqual([200, { 'Content-Type': 'text/plain' }, 'a']);
  });

  it.each([99, 1000, 200.5, -200, '0200', '2e2', true, 'ok', {}, [200]])(
    'refuses the status %j',
    (status) => {
      expect(() => build({ status: '{{x}}' }, { x: status })).toThrow(
        expect.objectContaining({ type: 'RuntimeError', place: { pointer: '/respond/status' } }),
      );
    },
  );

  it('refuses a type it does not know', () => {
    expect(() => build({ type: 'jsn', body: 1 })).toThrow('Did you mean "json"?');
  });

  it.each([
    [{ 'X-A': 'a\r\nSet-Cookie: b' }],
    [{ 'X-A': 'a\nb' }],
    [{ 'X-A': 'a\u0000b' }],
    [{ 'X-A': 'ž' }],
    [{ 'X A': 'a' }],
    [{ 'X-A': { a: 1 } }],
  ])('refuses the headers %j', (headers) => {
    expect(() => build({ headers: '{{x}}' }, { x: headers })).toThrow(
      expect.objectContaining({ type: 'RuntimeError', place: { pointer: '/respond/headers' } }),
    );
  });

  it('sends a header once for each value, and leaves the transport its own', () => {
    const { headers } = build({
      headers: { 'set-cookie': ['a=1', 'b=2'], 'content-length': '1', host: 'x', 'X-None': '{{none}}' },
    });
    expect(headers).toEqual([
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
  });

  it.each(['{{x}}', { deep: '{{x}}' }])('refuses a body that holds itself: %j', (body) => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(() => build({ body }, { x: loop })).toThrow(expect.objectContaining({ code: 'APP_ERROR' }));
  });

  it('refuses what a form cannot hold', () => {
    expect(() => build({ type: 'urlencoded', body: 5 })).toThrow(
      expect.objectContaining({ place: { pointer: '/respond/body' } }),
    );
  });
});
