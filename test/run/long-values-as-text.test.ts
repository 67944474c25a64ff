import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import type { TransportResponse } from '../../src/http/message/transport.js';

/** Bytes that make a long text. */
const BYTES = new Uint8Array(10_000_000).fill(67);

const transport = async ({ url }: { readonly url: string }): Promise<TransportResponse> => ({
  status: url.endsWith('/fails') ? 400 : 200,
  url,
  headers: { 'content-type': 'application/octet-stream' },
  body: BYTES,
});

describe('a value too long to be made text of ends in a report', () => {
  const next = (request: object): object[] => [
    { url: '/bytes', response: { temp: { bytes: '{{body}}' } } },
    { url: '/x', response: { output: 1 }, ...request },
  ];

  it.each<readonly [string, object]>([
    ['as the message of an error', { url: '/fails', response: { error: '{{body}}' } }],
    ['as a message in an error', { url: '/fails', response: { error: { message: '{{body}}' } } }],
    ['as the type of an error', { url: '/fails', response: { error: { message: 'm', type: '{{body}}' } } }],
    [
      'as the message of an entry in place',
      { url: '/fails', response: { error: '{{toCollection(split("message", "-"); "x"; "y")}}{{body}}' } },
    ],
    [
      'as the message of valid',
      { url: '/x', response: { valid: { condition: false, message: '{{body}}' } } },
    ],
    ['as an address', next({ url: '{{temp.bytes}}' })],
    ['as a method', next({ method: '{{temp.bytes}}' })],
    ['as a type', next({ method: 'POST', body: 1, type: '{{temp.bytes}}' })],
    ['as a header', next({ headers: { x: '{{temp.bytes}}' } })],
    ['in a query', next({ qs: { x: '{{temp.bytes}}' } })],
    ['as a certificate', next({ ca: '{{temp.bytes}}' })],
    ['in a path that is sanitized', next({ log: { sanitize: ['request.body<temp.bytes>'] } })],
    ['as a key of AWS', next({ aws: { key: '{{temp.bytes}}', secret: 's', sign_version: '4' } })],
    ['as a key of OAuth 1', next({ oauth: { consumer_key: '{{temp.bytes}}', consumer_secret: 's' } })],
    ['as the type of an answer', { url: '/x', response: { type: '{{body}}', output: 1 } }],
    ['as the limit of an answer', next({ response: { limit: '{{temp.bytes}}', output: 1 } })],
    ['as an endpoint', next({ url: undefined, endpoint: '{{temp.bytes}}' })],
    [
      'as the delay of a repeat',
      next({ repeat: { condition: '{{repeat.index < 2}}', delay: '{{temp.bytes}}', limit: 2 } }),
    ],
    ['as the address of a page', { url: '/x', response: { output: 1 }, pagination: { url: '{{body}}' } }],
  ])('%s', async (_, communication) => {
    const base = { baseUrl: 'https://api.example.test' };
    const app = defineApp({ name: 'long', base, modules: { m: { type: 'action', communication } } });
    const report = await createEngine({ app, transport }).module('m').run();
    expect(report.ok || report.error.type).toEqual(expect.anything());
  });

  it.each(['order', 'type', 'id', 'date'])('as the %s of a trigger', async (name) => {
    const trigger = { type: 'id', id: '1', date: '2024-01-05', order: 'desc', [name]: '{{body}}' };
    const communication = { url: '/x', response: { output: 1, trigger } };
    const base = { baseUrl: 'https://api.example.test' };
    const app = defineApp({ name: 'long', base, modules: { m: { type: 'trigger', communication } } });
    const report = await createEngine({ app, transport }).module('m').run({ start: 'all' });
    expect(report.ok || report.error.type).toEqual(expect.anything());
  });
});
