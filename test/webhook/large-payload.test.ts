import { describe, expect, it } from 'vitest';
import { call, webhookOf } from './helpers.js';

const PAYLOAD_BYTES = 4 * 1024 * 1024;

const fill = (piece: string): string => piece.repeat(Math.floor(PAYLOAD_BYTES / piece.length));
const part = (name: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

const records = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `Name ${id}`, tags: ['a', 'b'] }));
const text = fill('ä and more ');

const CASES: readonly [title: string, contentType: string, payload: string, value: unknown][] = [
  ['JSON of many records', 'application/json', JSON.stringify({ records }), { records }],
  ['JSON of one text', 'application/json', JSON.stringify({ text }), { text }],
  ['JSON of brackets', 'application/json', `[${fill('[],')}[]]`, undefined],
  [
    'a form with one field',
    'application/x-www-form-urlencoded',
    `a=${fill('%C3%A4')}`,
    { a: fill('%C3%A4').replaceAll('%C3%A4', 'ä') },
  ],
  ['XML', 'text/xml', `<r>${fill('<b c="1">d</b>')}</r>`, undefined],
  [
    'multipart',
    'multipart/form-data; boundary=b',
    `${Array.from({ length: 1000 }, (_, id) => part(`f${id}`, 'x'.repeat(4000))).join('')}--b--`,
    undefined,
  ],
  ['text', 'text/plain', text, text],
];

/** The body of a call as expressions read it. */
async function read(payload: string, contentType: string): Promise<unknown> {
  const webhook = webhookOf({ output: { body: '{{body}}' } });
  const { bundles, error } = await webhook.handle(call(Buffer.from(payload), contentType));
  if (error !== undefined) throw error;
  return Object(bundles?.[0]).body;
}

describe('a large payload', () => {
  it.each(CASES)('is parsed: %s', async (_, contentType, payload, value) => {
    const body = await read(payload, contentType);
    if (value !== undefined) expect(body).toEqual(value);
    else expect(body).toBeTypeOf('object');
  });

  it('is returned completely', async () => {
    const respond = { status: 200, type: 'urlencoded', body: { list: '{{map(body; "a")}}' } };
    const list = Array.from({ length: 10_000 }, (_, id) => ({ a: `\u6f22 ${id}` }));
    const report = await webhookOf({ respond }).handle(
      call(Buffer.from(JSON.stringify(list)), 'application/json'),
    );
    expect(report.error).toBeUndefined();
    expect(await report.response.text()).toMatch(/^list=%E6%BC%A2\+0&list=.*&list=%E6%BC%A2\+9999$/);
  });

  it('is refused like a small one: depth, fields, parts, invalid JSON', async () => {
    const refusal = (contentType: string, payload: string): Promise<unknown> =>
      read(payload, contentType).then(
        () => undefined,
        (error: unknown) => error,
      );
    const padding = ' '.repeat(300_000);
    const deep = `${'['.repeat(1001)}${padding}${']'.repeat(1001)}`;
    const at = `${'['.repeat(1000)}${padding}${']'.repeat(1000)}`;
    const payloadError = { code: 'WEBHOOK_PAYLOAD' };
    expect(await refusal('application/json', deep)).toMatchObject(payloadError);
    expect(await refusal('application/json', at)).toBeUndefined();
    expect(await refusal('application/json', `{"a":${padding}`)).toMatchObject(payloadError);
    expect(await refusal('application/json', `${padding}x`)).toMatchObject(payloadError);
    expect(await refusal('text/xml', `<a>${padding}`)).toMatchObject(payloadError);
    const fields = 'a=1&'.repeat(10_001) + 'x'.repeat(300_000);
    expect(await refusal('application/x-www-form-urlencoded', fields)).toMatchObject(payloadError);
    const parts = `${part('a', '').repeat(10_001)}--b--`;
    expect(await refusal('multipart/form-data; boundary=b', parts)).toMatchObject(payloadError);
    expect(await refusal('multipart/form-data; boundary=b', part('a', padding))).toMatchObject(payloadError);
  });
});
