import { describe, expect, it } from 'vitest';
import { engineOf } from '../component/engine-of.js';
import { post, webhookOf } from '../webhook/helpers.js';

/** Runs a responder with `response`. */
async function respond(response: unknown, parameters: Readonly<Record<string, unknown>> = {}) {
  const { engine } = engineOf({ modules: { m: { type: 'responder', communication: { response } } } });
  return engine.module('m', 'responder').respond({ parameters });
}

async function answerOf(
  response: unknown,
  parameters?: Readonly<Record<string, unknown>>,
): Promise<unknown[]> {
  const { result, error } = await respond(response, parameters);
  if (result === undefined) throw error;
  const { status, headers, body } = result;
  return [status, Object.fromEntries(headers), Buffer.from(body).toString('utf8')];
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT_TYPE = { 'Content-Type': 'text/plain' };

describe('the response of a responder', () => {
  it.each([
    ['nothing', {}, [200, {}, '']],
    ['null as body', { body: null }, [200, {}, '']],
    ['a text without type', { body: 'a' }, [200, TEXT_TYPE, 'a']],
    ['a text of type json', { type: 'json', body: 'a' }, [200, JSON_TYPE, '"a"']],
    ['a text of type text', { type: 'text', body: 'á' }, [200, TEXT_TYPE, 'á']],
    ['a collection of type text', { type: 'text', body: { a: 1 } }, [200, TEXT_TYPE, '{"a":1}']],
    ['a number', { body: 5 }, [200, JSON_TYPE, '5']],
    ['a list', { body: [1, null] }, [200, JSON_TYPE, '[1,null]']],
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
    ['the highest status', { status: 999 }, [999, {}, '']],
    ['the lowest status', { status: 100 }, [100, {}, '']],
    ['an empty status', { status: '{{parameters.none}}' }, [200, {}, '']],
    ['null as status', { status: null }, [200, {}, '']],
    ['an empty text as status', { status: '' }, [200, {}, '']],
    ['null of type json', { type: 'json', body: null }, [200, JSON_TYPE, 'null']],
    ['null as type', { type: null, body: 'a' }, [200, TEXT_TYPE, 'a']],
    ['an empty type', { type: '', body: 'a' }, [200, TEXT_TYPE, 'a']],
    ['a type in capitals', { type: ' JSON ', body: 'a' }, [200, JSON_TYPE, '"a"']],
    [
      'JSON text under a JSON Content-Type',
      { headers: { 'content-type': 'application/vnd.a+json' }, body: '{"a": 1}' },
      [200, { 'Content-Type': 'application/vnd.a+json' }, '{"a": 1}'],
    ],
  ])('is built from %s', async (_, response, expected) => {
    expect(await answerOf(response)).toEqual(expected);
  });

  it('encodes a text as JSON by default in a webhook response', async () => {
    const { response } = await webhookOf({ respond: { body: 'a' } }).handle(post({}));
    expect([response.headers.get('content-type'), await response.text()]).toEqual([
      'application/json',
      '"a"',
    ]);
  });

  it.each([
    ['application/json; charset=utf-8', '"1970-01-01T00:00:00.000Z"'],
    ['text/html', '1970-01-01T00:00:00.000Z'],
  ])('writes a date under the Content-Type %s', async (contentType, expected) => {
    const response = { headers: { 'Content-Type': contentType }, body: '{{parameters.x}}' };
    expect((await answerOf(response, { x: new Date(0) }))[2]).toBe(expected);
  });

  it('sends binary data unchanged', async () => {
    const response = { body: '{{parameters.x}}' };
    const x = Buffer.from([1, 2]);
    const { result } = await respond(response, { x });
    expect(result).toMatchObject({ status: 200, headers: [['Content-Type', 'application/octet-stream']] });
    expect([...(result?.body ?? [])]).toEqual([1, 2]);
    const image = await respond({ ...response, headers: { 'content-type': 'image/png' } }, { x });
    expect(image.result?.headers).toEqual([['Content-Type', 'image/png']]);
  });

  it.each([99, 1000, 200.5, -200, '0200', '2e2', true, 'ok', {}, [200]])(
    'rejects the status %j',
    async (x) => {
      expect((await respond({ status: '{{parameters.x}}' }, { x })).error).toMatchObject({
        type: 'RuntimeError',
        place: { pointer: '/modules/m/communication/response/status' },
      });
    },
  );

  it.each([
    ['ok', '"ok"'],
    ['x'.repeat(90), `"${'x'.repeat(80)}"`],
    [[200], 'an array'],
  ])('quotes the start of the invalid status %j', async (x, shown) => {
    expect((await respond({ status: '{{parameters.x}}' }, { x })).error?.message).toBe(
      `The status of a response must be 100 to 999, not ${shown}.`,
    );
  });

  it('rejects an unknown type and suggests the nearest', async () => {
    const message = 'The type of a response must be one of json, urlencoded, text, not';
    const refusal = async (type: string) => (await respond({ type, body: 1 })).error?.message;
    expect(await refusal(' Jsn')).toBe(`${message} "jsn". Did you mean "json"?`);
    expect(await refusal('y'.repeat(90))).toBe(`${message} "${'y'.repeat(80)}".`);
  });

  it.each([
    [{ 'X-A': 'a\r\nSet-Cookie: b' }],
    [{ 'X-A': 'a\nb' }],
    [{ 'X-A': 'a\u0000b' }],
    [{ 'X-A': 'ž' }],
    [{ 'X A': 'a' }],
    [{ 'X-A': { a: 1 } }],
  ])('rejects the headers %j', async (x) => {
    expect((await respond({ headers: '{{parameters.x}}' }, { x })).error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/response/headers' },
    });
  });

  it('repeats a header for each value, and omits transport headers with one warning each', async () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], 'content-length': '1', HOST: 'x', 'X-None': '{{none}}' };
    const { result, warnings } = await respond({ headers });
    expect(result?.headers).toEqual([
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
    expect(warnings.filter(({ code }) => code === 'header-ignored')).toMatchObject(
      ['Content-Length', 'Host'].map((name) => ({
        message: `The header ${name} is the transport's to set.`,
        place: { pointer: '/modules/m/communication/response/headers' },
      })),
    );
    expect((await respond({ headers: { 'X-A': '1' } })).warnings).toEqual([]);
  });

  it.each(['{{parameters.x}}', { deep: '{{parameters.x}}' }])('rejects a circular body: %j', async (body) => {
    const x: Record<string, unknown> = {};
    x['self'] = x;
    expect((await respond({ body }, { x })).error).toMatchObject({ code: 'APP_ERROR' });
  });

  it('rejects a body that cannot be encoded as a form', async () => {
    expect((await respond({ type: 'urlencoded', body: 5 })).error).toMatchObject({
      place: { pointer: '/modules/m/communication/response/body' },
    });
  });
});
