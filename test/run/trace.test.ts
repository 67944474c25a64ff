import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type TraceEvent } from '../../src/index.js';
import { engineOf, PAGED, service } from './helpers.js';

const traceOf = async (communication: unknown, setup: Parameters<typeof engineOf>[1] = {}, input = {}) => {
  const { transport } = service(() => ({
    json: { items: [{ id: 1, name: 'a' }], token: 'tok-from-response' },
  }));
  const report = await engineOf(communication, { http: { transport }, ...setup }).run(input);
  return { report, text: JSON.stringify(report.trace), events: report.trace };
};

describe('a trace', () => {
  it('contains requests without bodies, and responses with size and duration', async () => {
    const { events } = await traceOf({ url: '/x', method: 'POST', body: { a: 1 } });
    expect(events[0]).toMatchObject({
      kind: 'request',
      method: 'POST',
      url: 'https://api.example.test/x',
      size: 7,
    });
    expect(events[0]).not.toHaveProperty('body');
    expect(events[1]).toMatchObject({
      kind: 'response',
      status: 200,
      durationMs: 0,
      requestIndex: 0,
      page: 1,
    });
  });

  it('contains bodies on request', async () => {
    const { events } = await traceOf({ url: '/x', method: 'POST', body: { a: 1 } }, { trace: 'full' });
    expect(events[0]).toHaveProperty('body');
    expect(events[1]).toHaveProperty('body');
  });

  it('is passed to a listener immediately', async () => {
    const seen: TraceEvent['kind'][] = [];
    await traceOf({ url: '/x' }, { onTrace: ({ kind }) => seen.push(kind) });
    expect(seen).toEqual(['request', 'response', 'stop']);
  });

  it.each([10, 20_000])('reports a request before its response, with a body of %d', async (bytes) => {
    const order: string[] = [];
    const { transport } = service(() => {
      order.push('answer');
      return { json: {} };
    });
    const onTrace = ({ kind }: TraceEvent): void => void order.push(kind);
    const spec = { url: '/x', method: 'POST', body: { pad: 'p'.repeat(bytes) } };
    await engineOf(spec, { http: { transport }, trace: 'full', onTrace }).run();
    expect(order).toEqual(['request', 'answer', 'response', 'stop']);
  });

  it.each([10, 20_000])('sends no request if the listener ends the run: %d', async (bytes) => {
    const { transport, requests } = service(() => ({ json: {} }));
    const controller = new AbortController();
    const onTrace = ({ kind }: TraceEvent): void => {
      if (kind === 'request') controller.abort(new Error('unwanted'));
    };
    const spec = { url: '/x', method: 'POST', body: { pad: 'p'.repeat(bytes) } };
    const { run } = engineOf(spec, { http: { transport }, trace: 'full', onTrace });
    await expect(run({ signal: controller.signal })).rejects.toThrow('unwanted');
    expect(requests).toEqual([]);
  });

  it('names the expression of a text without a value, once per run', async () => {
    const spec = {
      ...PAGED,
      pagination: undefined,
      response: { iterate: 'body.items', output: { t: 'x{{item.nme}}' } },
    };
    const { events } = await traceOf(spec);
    expect(events.filter(({ kind }) => kind === 'missing')).toMatchObject([
      { expression: 'item.nme', reason: 'text' },
    ]);
  });

  it('names a path that breaks before its last step, but no missing optional field', async () => {
    const output = {
      broken: '{{body.user.name}}',
      optional: '{{body.user}}',
      decided: '{{ifempty(body.a.b; 1)}}',
    };
    const { events } = await traceOf({ url: '/x', response: { output } });
    const missing = events.filter(({ kind }) => kind === 'missing');
    expect(missing).toMatchObject([{ expression: 'body.user.name', reason: 'path' }]);
  });

  it('names an expression of an endpoint and the one at the same location of its caller', async () => {
    const { transport } = service(() => ({ json: {} }));
    const output = { text: 'Hi {{body.nick}}' };
    const app = defineApp({
      name: 'test',
      endpoints: { e: { communication: { url: 'https://api.example.test/', response: { output } } } },
      modules: { m: { type: 'action', communication: { endpoint: 'e', response: { output } } } },
    });
    const { trace } = await createEngine({ app, http: { transport } }).module('m').run();
    const missing = trace.filter((event) => event.kind === 'missing');
    expect(missing.map(({ place }) => place.pointer)).toEqual([
      '/endpoints/e/communication/response/output/text',
      '/modules/m/communication/response/output/text',
    ]);
  });

  it('reports a skipped request', async () => {
    const { events } = await traceOf([{ url: '/x', condition: false }, { url: '/y' }]);
    expect(events[0]).toMatchObject({
      kind: 'skipped',
      place: { pointer: '/modules/m/communication/0/condition' },
    });
  });
});

describe('secrets', () => {
  const connection = { apiKey: 'key-abcdef-123456', password: 'p&ss w"rd/77' };
  const base = {
    baseUrl: 'https://api.example.test',
    headers: { Authorization: 'Bearer {{connection.apiKey}}', 'X-Other': '{{connection.password}}' },
    log: { sanitize: ['response.body.items', 'request.body<parameters.pin>'] },
  };
  const leaks = (text: string) =>
    [
      'key-abcdef-123456',
      'p&ss w"rd/77',
      'p%26ss',
      'tok-from-response',
      'common-secret-9',
      'pin-445566',
    ].filter((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('base64')));

  it('are in no trace event, regardless of the part of the request', async () => {
    const spec = {
      url: '/x/{{connection.apiKey}}',
      method: 'POST',
      qs: { key: '{{connection.password}}', c: '{{common.key}}' },
      type: 'text',
      body: 'a={{connection.password}}&b={{base64(connection.apiKey)}}&pin={{parameters.pin}}',
    };
    const common = { key: 'common-secret-9' };
    const { text } = await traceOf(
      spec,
      { base, common, trace: 'full' },
      { connection, parameters: { pin: 'pin-445566' } },
    );
    expect(leaks(text)).toEqual([]);
    expect(text).toContain('[SANITIZED]');
  });

  it.each(['request.body<base64(parameters.pin)>', ' request.body<base64(parameters.pin)> '])(
    'reach no trace event as the value of a built-in function, which has no braces: %s',
    async (entry) => {
      // Only this event names the function.
      const spec = { url: '/x', method: 'POST', body: { own: 'MTIzNDU=' }, log: { sanitize: [entry] } };
      const { report, text } = await traceOf(spec, { trace: 'full' }, { parameters: { pin: '12345' } });
      expect(report.error).toBeUndefined();
      expect(text).not.toContain('MTIzNDU=');
    },
  );

  it('are in no error that quotes them', async () => {
    const { transport } = service(() => ({
      status: 400,
      json: { message: 'bad key key-abcdef-123456', token: 'tok-from-response' },
    }));
    const spec = {
      url: '/x',
      response: { error: '{{body.message}} {{body.token}} {{connection.password}}' },
    };
    const { error } = await engineOf(spec, { http: { transport }, base }).run({ connection });
    expect(error?.message).toContain('bad key');
    expect(leaks(`${JSON.stringify(error)} ${error?.message} ${error?.stack}`)).toEqual([]);
  });

  it('are in no error of an expression that quotes its value', async () => {
    const { transport } = service(() => ({ json: {} }));
    const spec = { url: '/x', qs: { d: "{{formatDate(connection.apiKey; 'YYYY')}}" } };
    const { error } = await engineOf(spec, { http: { transport }, base }).run({ connection });
    expect(error?.message).toContain('is not a valid date');
    expect(
      leaks(`${JSON.stringify(error)} ${error?.message} ${error?.stack} ${String(error?.cause)}`),
    ).toEqual([]);
  });

  it('are sent unchanged', async () => {
    const { transport, requests } = service(() => ({ json: {} }));
    await engineOf({ url: '/x' }, { http: { transport }, base }).run({ connection });
    expect(requests[0]?.headers).toContainEqual(['Authorization', 'Bearer key-abcdef-123456']);
  });
});
