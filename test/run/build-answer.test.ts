import { describe, expect, it } from 'vitest';
import { compileRespond } from '../../src/engine/document/compile-request.js';
import { createDocument } from '../../src/engine/document/document.js';
import { buildAnswer } from '../../src/engine/run/build-answer.js';
import type { BuiltResponse } from '../../src/index.js';
import { toEnvironment } from '../../src/language/environment.js';
import { contextOf } from './context-of.js';

function build(
  respond: unknown,
  scope: Record<string, unknown> = {},
  textType?: 'json' | 'text',
  context = contextOf(scope),
): BuiltResponse {
  const directives = { environment: toEnvironment({}), functions: {} };
  const document = createDocument({ respond });
  return buildAnswer(compileRespond(respond, document, '/respond', directives), context, textType);
}

const shown = ({ status, headers, body }: BuiltResponse): unknown[] => [
  status,
  Object.fromEntries(headers),
  Buffer.from(body).toString('utf8'),
];

describe('buildAnswer', () => {
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
    ['null as status', { status: null }, [200, {}, '']],
    ['an empty text as status', { status: '' }, [200, {}, '']],
    [
      'null of type json',
      { type: 'json', body: null },
      [200, { 'Content-Type': 'application/json' }, 'null'],
    ],
    ['null as type', { type: null, body: 'a' }, [200, { 'Content-Type': 'application/json' }, '"a"']],
    ['an empty type', { type: '', body: 'a' }, [200, { 'Content-Type': 'application/json' }, '"a"']],
    ['a type in capitals', { type: ' TEXT ', body: 'a' }, [200, { 'Content-Type': 'text/plain' }, 'a']],
    [
      'JSON that is written already',
      { headers: { 'content-type': 'application/vnd.a+json' }, body: '{"a": 1}' },
      [200, { 'Content-Type': 'application/vnd.a+json' }, '{"a": 1}'],
    ],
  ])('answers %s', (_, respond, expected) => {
    expect(shown(build(respond))).toEqual(expected);
  });

  it.each([
    [undefined, '"1970-01-01T00:00:00.000Z"'],
    ['application/json; charset=utf-8', '"1970-01-01T00:00:00.000Z"'],
    ['text/html', '1970-01-01T00:00:00.000Z'],
  ])('writes a date under the Content-Type %s', (contentType, expected) => {
    const headers = contentType === undefined ? {} : { 'Content-Type': contentType };
    const { body } = build({ headers, body: '{{x}}' }, { x: new Date(0) });
    expect(Buffer.from(body).toString()).toBe(expected);
  });

  it('sends binary data as it is', () => {
    const respond = { body: '{{x}}' };
    const scope = { x: Buffer.from([1, 2]) };
    expect(build(respond, scope)).toEqual({
      status: 200,
      headers: [['Content-Type', 'application/octet-stream']],
      body: scope.x,
    });
    expect(build({ ...respond, headers: { 'content-type': 'image/png' } }, scope).headers).toEqual([
      ['Content-Type', 'image/png'],
    ]);
  });

  it('lets a responder send a text as it is', () => {
    expect(shown(build({ body: 'a' }, {}, 'text'))).toEqual([200, { 'Content-Type': 'text/plain' }, 'a']);
    expect(shown(build({ body: 5 }, {}, 'text'))).toEqual([200, { 'Content-Type': 'application/json' }, '5']);
  });

  it.each([99, 1000, 200.5, -200, '0200', '2e2', true, 'ok', {}, [200]])(
    'refuses the status %j',
    (status) => {
      expect(() => build({ status: '{{x}}' }, { x: status })).toThrow(
        expect.objectContaining({ type: 'RuntimeError', place: { pointer: '/respond/status' } }),
      );
    },
  );

  it.each([
    ['ok', '"ok"'],
    ['x'.repeat(90), `"${'x'.repeat(80)}"`],
    [[200], 'an array'],
  ])('tells of the status %j', (status, shownStatus) => {
    expect(() => build({ status: '{{x}}' }, { x: status })).toThrow(
      expect.objectContaining({
        message: `The status of an answer has to be 100 to 999, not ${shownStatus}.`,
      }),
    );
  });

  it('refuses a type it does not know', () => {
    const message = 'The type of an answer is one of json, urlencoded, text, not';
    expect(() => build({ type: ' Jsn', body: 1 })).toThrow(
      expect.objectContaining({ message: `${message} "jsn". Did you mean "json"?` }),
    );
    expect(() => build({ type: 'y'.repeat(90), body: 1 })).toThrow(`${message} "${'y'.repeat(80)}".`);
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

  it("tells of each header that is the transport's, where they are written", () => {
    const context = contextOf({});
    build({ headers: { 'Content-Length': '1', HOST: 'x', 'X-A': '1' } }, {}, 'json', context);
    const names = ['Content-Length', 'Host'];
    expect(context.run.log.warnings).toMatchObject(
      names.map((name) => ({
        code: 'header-ignored',
        message: `The header ${name} is the transport's to set.`,
      })),
    );
    expect(context.run.log.warnings.map(({ place }) => place)).toEqual(
      names.map(() => ({ pointer: '/respond/headers' })),
    );
    const quiet = contextOf({});
    build({ headers: { 'X-A': '1' } }, {}, 'json', quiet);
    expect(quiet.run.log.warnings).toEqual([]);
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
