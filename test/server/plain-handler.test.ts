import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { toPlainResponse } from '../../src/shared/server/plain-request.js';
import { serveOn } from '../../src/shared/server/serve-fetch.js';

type Handler = Parameters<typeof serveOn>[0];

const limits = {
  maxBodyBytes: 1_000_000,
  maxBytesInFlight: 5_000_000,
  maxRequests: 10,
  headerTimeoutMs: 5000,
  bodyTimeoutMs: 10_000,
};

/** Responds with the request it received. */
function describe(
  method: string,
  url: string,
  headers: Iterable<readonly [string, string]>,
  body: string,
): Response {
  const text = JSON.stringify([method, url, [...headers], body.length, body.slice(0, 20)]);
  const answer = new Response(text, { headers: { 'content-type': 'application/json' } });
  for (const cookie of ['a=1', 'b=2']) answer.headers.append('set-cookie', cookie);
  return answer;
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  fetch: {
    fetch: async (request) => describe(request.method, request.url, request.headers, await request.text()),
  },
  plain: {
    plain: async ({ method, url, headers, readBody }) => {
      const body = Buffer.from(await readBody()).toString('utf8');
      return toPlainResponse(describe(method, url.href, headers, body));
    },
  },
};

/** Sends the parts of a request in sequence, and reads until the server closes the connection. */
async function send(handler: Handler, parts: readonly string[]): Promise<string> {
  const server = await serveOn(handler, { limits });
  onTestFinished(() => server.close(0));
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  const closed = once(socket, 'close');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('utf8');
  });
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await closed;
  return answer.replace(/^date: .*\r\n/im, '');
}

const HEAD = 'POST /a%2e/../b?x=1&x=2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n';
const MANY = 'X-B: 1\r\nx-b: 2\r\nCookie: c=1\r\nCookie: d=2\r\nX-A: ü\r\n';

it.each([
  ['a short body', [`${HEAD}${MANY}Content-Length: 2\r\n\r\nhi`]],
  ['a body after its head', [`${HEAD}Content-Length: 5\r\n\r\n`, 'he', 'llo']],
  ['a chunked body', [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '2\r\nhi\r\n', '0\r\n\r\n']],
  ['a long body', [`${HEAD}Content-Length: 300000\r\n\r\n`, 'x'.repeat(300_000)]],
  ['no body', ['GET /?q= HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n']],
  ['a body that is too large', [`${HEAD}Content-Length: 1000001\r\n\r\n`, 'x'.repeat(1_000_001)]],
  ['an invalid address', ['GET /a\\b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n']],
])(
  'passes the same request to a handler of plain data as to one of the Fetch API: %s',
  async (_name, parts) => {
    const answers = [];
    for (const name of ['fetch', 'plain']) answers.push(await send(HANDLERS[name] as Handler, parts));
    expect(answers[0]).toMatch(/^HTTP\/1\.1 (200|400|413) /);
    expect(answers[1]).toBe(answers[0]);
  },
);

it('continues on the same connection with the next request', async () => {
  const one = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi';
  const last = 'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\nho';
  const answer = await send(HANDLERS['plain'] as Handler, [`${one}${one}${last}`]);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(answer).toMatch(/"hi".*"hi".*"ho"/s);
});
