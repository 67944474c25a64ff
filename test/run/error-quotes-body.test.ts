import { describe, expect, it } from 'vitest';
import type { TransportRequest } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

const TOKEN = 'a-token-of-somebody';
const HIDDEN = '[SANITIZED]';

const LARGE = { token: TOKEN, list: Array.from({ length: 20_000 }, (_, id) => id) };

describe('an error that quotes a large response', () => {
  it.each<[what: string, response: object]>([
    ['an output', { output: "{{parseDate(body.token; 'YYYY')}}" }],
    ['an item', { iterate: '{{slice(body.list; 0; 3)}}', output: "{{parseDate(body.token; 'YYYY')}}" }],
    ['a wrapper', { output: 1, wrapper: "{{parseDate(body.token; 'YYYY')}}" }],
    ['temp', { temp: { at: "{{parseDate(body.token; 'YYYY')}}" } }],
    ['valid', { valid: "{{parseDate(body.token; 'YYYY')}}" }],
    ['a message', { valid: false, error: { message: 'No {{body.token}}' } }],
    ['a message that fails', { valid: false, error: { message: "{{parseDate(body.token; 'YYYY')}}" } }],
  ])('shows no secret of the response: %s', async (_what, response) => {
    const { transport } = service(() => ({ json: LARGE }));
    const { run } = engineOf({ url: '/x', response }, { http: { transport } });
    const report = await run();
    // If the message fails, its error quotes the response.
    const told = `${report.error?.message} ${report.error?.cause}`;
    expect(told).toContain(HIDDEN);
    expect(told).not.toContain(TOKEN);
  });

  it('contains no secret of its large request', async () => {
    const { transport } = service(() => ({ json: { said: TOKEN } }));
    const response = { valid: false, error: { message: 'No {{body.said}}' } };
    const { run } = engineOf({ url: '/x', method: 'POST', body: LARGE, response }, { http: { transport } });
    const report = await run();
    expect(report.error?.message).toContain(`No ${HIDDEN}`);
  });

  it('evaluates random functions once, and reports a missing value once', async () => {
    const { transport } = service(() => ({ json: LARGE }));
    let draws = 0;
    const random = (): number => ++draws / 1000;
    const output = "{{random}} {{body.nothing}} {{parseDate(body.token; 'YYYY')}}";
    const { run } = engineOf({ url: '/x', response: { output } }, { http: { transport }, random });
    const report = await run();
    expect(report.error?.message).toContain(HIDDEN);
    expect(draws).toBe(1);
    expect(report.trace.filter(({ kind }) => kind === 'missing')).toHaveLength(1);
  });

  it('ends a run whose body does not match its type, and contains no secrets', async () => {
    const text = `{"token":"${TOKEN}","list":[${'1,'.repeat(200_000)}`;
    const { transport } = service(() => ({ text, headers: { 'content-type': 'application/json' } }));
    const { run } = engineOf({ url: '/x', response: { output: '{{body}}' } }, { http: { transport } });
    const report = await run();
    expect(report.error?.message).toContain('not valid JSON');
  });
});

describe('a large body that is sent', () => {
  const fields = Object.fromEntries(Array.from({ length: 45_000 }, (_, id) => [`field${id}`, id]));

  it.each(['json', 'urlencoded', 'multipart/form-data'])('is written completely: %s', async (type) => {
    const { transport, requests } = service(() => ({ json: {} }));
    const { run } = engineOf(
      { url: '/x', method: 'POST', type, body: '{{parameters.all}}' },
      { http: { transport } },
    );
    const report = await run({ parameters: { all: fields } });
    expect(report.error).toBeUndefined();
    expect(readFields(requests[0], type)).toEqual(fields);
  });
});

function readFields(request: TransportRequest | undefined, type: string): Record<string, number> {
  const text = Buffer.from(request?.body ?? []).toString();
  if (type === 'json') return JSON.parse(text);
  const pairs =
    type === 'urlencoded'
      ? [...new URLSearchParams(text)]
      : [...text.matchAll(/name="(\w+)"\r\n\r\n(\d+)\r\n/g)].map(([, name = '', value = '']) => [
          name,
          value,
        ]);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
}
