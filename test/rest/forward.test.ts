import { expect, it } from 'vitest';
import { createForwardBackend, createRest } from '../../src/rest/index.js';

const URL_BEHIND = 'https://behind.example.test/api/v2';

/** The API in front of a server that responds to every request with the same text. */
async function start(respond: () => Promise<Response>): Promise<{
  readonly call: (path: string) => Promise<Response>;
  readonly errors: unknown[];
}> {
  const errors: unknown[] = [];
  const backend = createForwardBackend({ url: URL_BEHIND, fetch: respond });
  const rest = await createRest({ backend, onError: (error) => errors.push(error) });
  const headers = { authorization: 'Token 00000001-0000-4000-8000-000000000001' };
  return {
    errors,
    call: (path) => rest.fetch(new Request(`http://localhost/api/v2${path}`, { headers })),
  };
}

it('responds with 503 while the other server does not respond', async () => {
  const { call, errors } = await start(() => Promise.reject(new TypeError('fetch failed: secret address')));
  const response = await call('/ping');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.text()).not.toContain('secret');
  expect(errors).toHaveLength(1);
});

it.each([
  ['an unexpected status', new Response('moved', { status: 302, headers: { location: 'https://x.test' } })],
  ['a failure', new Response('{"message":"secret"}', { status: 500 })],
  ['a body of another type', Response.json({ secret: true })],
])('responds with 500 to %s of the other server', async (_, given) => {
  const { call, errors } = await start(async () => given.clone());
  const response = await call('/ping');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(errors).toHaveLength(1);
});

it('stops reading a response that exceeds 32 MiB', async () => {
  const chunk = new Uint8Array(1024 * 1024);
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent++;
      controller.enqueue(chunk);
    },
  });
  const { call } = await start(async () => new Response(endless));
  expect((await call('/ping')).status).toBe(500);
  expect(sent).toBeLessThan(40);
});

it.each(['ftp://x.test', 'https://user:secret@x.test/api/v2', 'https://x.test/?a=1', 'x'])(
  'refuses the address %s',
  (url) => {
    expect(() => createForwardBackend({ url })).toThrow('url must be an address');
  },
);
