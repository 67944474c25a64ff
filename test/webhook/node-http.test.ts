import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createEngine,
  defineApp,
  fromNodeRequest,
  type IncomingCall,
  sendNodeResponse,
} from '../../src/index.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const engine = createEngine({
  app: defineApp({
    name: 'orders',
    webhooks: {
      created: {
        type: 'web',
        communication: {
          respond: {
            status: 201,
            headers: { 'Set-Cookie': 'a=1', 'Content-Length': '999', 'X-Query': '{{query.q}}' },
            body: { got: '{{body.id}}' },
          },
        },
      },
    },
  }),
});

describe('a server of node:http', () => {
  it('passes a request to a webhook and sends its response', async () => {
    const url = await serve(async (request, response) => {
      sendNodeResponse(response, await engine.webhook('created').handle(await fromNodeRequest(request)));
    });
    const response = await fetch(`${url}/hook?q=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 7 }),
    });
    expect([response.status, await response.json()]).toEqual([201, { got: 7 }]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'set-cookie': 'a=1',
      'x-query': '1',
      'content-length': '9',
    });
  });

  it('keeps method, address, headers and bytes unchanged', async () => {
    let call: IncomingCall | undefined;
    const url = await serve(async (request, response) => {
      call = await fromNodeRequest(request);
      response.end();
    });
    await fetch(`${url}/a?b=c`, {
      method: 'PUT',
      headers: { 'X-Odd': 'ü' },
      body: new Uint8Array([0, 255, 10]),
    });
    expect(call).toMatchObject({ method: 'PUT', url: `${url}/a?b=c` });
    expect([...(call?.body ?? [])]).toEqual([0, 255, 10]);
    expect(call?.headers.find(([name]) => name.toLowerCase() === 'x-odd')?.[1]).toBe('ü');
  });

  it('accepts the body of express.raw(), and an explicit body', async () => {
    const calls: IncomingCall[] = [];
    const url = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      calls.push(await fromNodeRequest(request, { body }));
      const read = Object.assign(request, { body, originalUrl: '/mounted/at' }) as IncomingMessage;
      calls.push(await fromNodeRequest(read));
      response.end();
    });
    await fetch(`${url}/at`, { method: 'POST', body: 'sent' });
    expect(calls.map(({ body }) => Buffer.from(body).toString())).toEqual(['sent', 'sent']);
    expect(calls.map((call) => new URL(call.url).pathname)).toEqual(['/at', '/mounted/at']);
  });

  it.each([
    ['parsed before', 'USAGE', 'The body of the request was read before.'],
    ['too large', 'WEBHOOK_TOO_LARGE', 'The payload is larger than 3 bytes.'],
  ])('refuses a body that is %s, and can still respond', async (what, code, message) => {
    const url = await serve(async (request, response) => {
      if (what === 'parsed before') for await (const _ of request);
      const error = await fromNodeRequest(request, { maxBytes: 3 }).catch((thrown: unknown) => thrown);
      response.end(JSON.stringify(error));
    });
    const response = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_000) });
    const said = (await response.json()) as { readonly code: string; readonly message: string };
    expect(said).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
