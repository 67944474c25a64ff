import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type RunReport, type TransportRequest } from '../../src/index.js';

/** Bytes that make a long text. */
const BYTES = new Uint8Array(10_000_000).fill(67);

interface Sent {
  readonly report: RunReport;
  readonly requests: readonly TransportRequest[];
}

/** Runs an action against an API that responds with `BYTES`, with status 400 for `/fails`. */
async function run(communication: unknown): Promise<Sent> {
  const requests: TransportRequest[] = [];
  const base = { baseUrl: 'https://api.example.test' };
  const app = defineApp({ name: 'long', base, modules: { m: { type: 'action', communication } } });
  await using engine = createEngine({
    app,
    http: {
      transport: async (request) => {
        requests.push(request);
        const { url } = request;
        const headers = { 'content-type': 'application/octet-stream' };
        return { status: url.endsWith('/fails') ? 400 : 200, url, headers, body: BYTES };
      },
    },
  });
  return { report: await engine.module('m').run(), requests };
}

/** A chain whose second request reads the bytes of the first as `temp.bytes`. */
const next = (request: object): object[] => [
  { url: '/bytes', response: { temp: { bytes: '{{body}}' } } },
  { url: '/x', response: { output: { id: 1 } }, ...request },
];

describe('10 MB of bytes where a directive expects text', () => {
  it.each<readonly [string, object, string?]>([
    ['response.error', { error: '{{body}}' }],
    ['response.error.message', { error: { message: '{{body}}' } }],
    ['an expression with text around it', { error: '{{toCollection(split("m", "-"); "x"; "y")}}{{body}}' }],
    ['response.valid.message', { valid: { condition: false, message: '{{body}}' } }, '/x'],
  ])('are cut to 256 KiB in the message of an error: %s', async (_, response, url = '/fails') => {
    const { report } = await run({ url, response });
    expect(report.error).toMatchObject({ type: 'RuntimeError', message: expect.stringContaining('CCC') });
    expect(report.error?.message.length).toBeLessThan(300_000);
  });

  it.each<readonly [string, object, string]>([
    ['as a type', { method: 'POST', body: 1, type: '{{temp.bytes}}' }, '/type'],
    ['as a header', { headers: { x: '{{temp.bytes}}' } }, '/headers/x'],
    ['in a query', { qs: { x: '{{temp.bytes}}' } }, '/qs/x'],
  ])('fail the request before it is sent: %s', async (_, request, pointer) => {
    const { report, requests } = await run(next(request));
    expect(report.error).toMatchObject({
      type: 'RuntimeError',
      message: expect.stringContaining('is a buffer; it must be'),
      place: { pointer: `/modules/m/communication/1${pointer}` },
    });
    expect(requests).toHaveLength(1);
  });

  it('are not an error type', async () => {
    const { report } = await run({ url: '/fails', response: { error: { message: 'm', type: '{{body}}' } } });
    expect(report.error).toMatchObject({ type: 'UnknownError', message: 'm' });
  });

  it('are not a limit', async () => {
    const { report } = await run(next({ response: { limit: '{{temp.bytes}}', output: { id: 1 } } }));
    expect(report.error).toMatchObject({
      type: 'InvalidConfigurationError',
      message: 'The limit is not a number.',
    });
  });

  it.each<readonly [string, object]>([
    ['AWS', { aws: { key: '{{temp.bytes}}', secret: 's', sign_version: '4' } }],
    ['OAuth 1', { oauth: { consumer_key: '{{temp.bytes}}', consumer_secret: 's' } }],
  ])('sign a request as a key of %s, and the trace redacts the signature', async (_, request) => {
    const { report, requests } = await run(next(request));
    expect(report.error).toBeUndefined();
    const sent = requests[1]?.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
    expect(sent?.length).toBeGreaterThan(BYTES.length);
    expect(JSON.stringify(report.trace)).not.toContain('CCC');
  });
});
