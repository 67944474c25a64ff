import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FetchServer, type ServeFetchOptions, serveOn } from '../../src/server/serve-fetch.js';

const LIMITS = {
  maxBodyBytes: 8e6,
  maxBytesInFlight: 128e6,
  bodyTimeoutMs: 60_000,
  headerTimeoutMs: 60_000,
  maxRequests: 1000,
};

/** Answers with the length of the body, which it reads after a while. */
async function serve(options: Partial<ServeFetchOptions> = {}): Promise<FetchServer> {
  const server = await serveOn(
    {
      plain: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        const { byteLength } = await request.readBody();
        return { status: 200, headers: [], body: Buffer.from(`length ${byteLength}`) };
      },
    },
    { limits: LIMITS, ...options },
  );
  onTestFinished(() => server.close(0));
  return server;
}

/** Sends bytes, ends its half of the connection if asked to, and gives what came back until the other half ended. */
function exchange(socket: Socket, bytes: string | Buffer, ends = false): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (answer.includes('length ')) socket.end();
    });
    socket.once('end', () => socket.end());
    socket.once('close', () => resolve(answer));
    if (ends) socket.end(bytes);
    else socket.write(bytes);
  });
}

const open = ({ origin }: FetchServer): Socket =>
  connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true });

/** Connections that the server has taken, so that what they send next is there at once. */
async function openMany(server: FetchServer, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => open(server));
  for (const socket of sockets) socket.write('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  return sockets;
}

/** What the parser gave in one turn of the event loop at most, and altogether. */
function watchParser(): { requests: number; chunks: number; chunksAtOnce: number } {
  const seen = { requests: 0, chunks: 0, chunksAtOnce: 0 };
  let thisTurn = 0;
  const count = (): void => {
    if (thisTurn === 0) {
      setImmediate(() => {
        thisTurn = 0;
      });
    }
    seen.chunks++;
    seen.chunksAtOnce = Math.max(seen.chunksAtOnce, ++thisTurn);
  };
  const watch = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    seen.requests++;
    const push = request.push.bind(request);
    request.push = (chunk, encoding) => {
      count();
      return push(chunk, encoding);
    };
  };
  subscribe('http.server.request.start', watch);
  onTestFinished(() => void unsubscribe('http.server.request.start', watch));
  return seen;
}

const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const announced = (bytes: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`;
const framed = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('floods on many connections', () => {
  it('of chunks of a byte reach the parser a thousand lines at a time, and end early', async () => {
    const server = await serve();
    const flood = `${CHUNKED}${framed('a').repeat(60_000)}0\r\n\r\n`;
    const sockets = await openMany(server, 20);
    const seen = watchParser();
    const answers = await Promise.all(sockets.map((socket) => exchange(socket, flood)));
    expect(answers.join('')).toBe('');
    // Two turns may follow one another between two looks.
    expect(seen.chunksAtOnce).toBeLessThanOrEqual(1100);
    expect(seen.chunks).toBeLessThan(20 * 15_000);
  });

  it('of requests that wait for no answer cost no more than some that came with the hundredth', async () => {
    const server = await serve();
    const seen = watchParser();
    const flood = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2400);
    await Promise.all(Array.from({ length: 10 }, () => exchange(open(server), flood)));
    expect(seen.requests).toBeLessThan(10 * 200);
  });

  it('hold back no more than the bytes that may be in flight', async () => {
    const server = await serve({ limits: { ...LIMITS, maxBytesInFlight: 100_000 } });
    const lines = `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(1500)}\r\n`;
    const sockets = await openMany(server, 30);
    const answers = await Promise.all(sockets.map((socket) => exchange(socket, lines)));
    expect(answers.filter((answer) => answer === '').length).toBeGreaterThan(5);
  });
});

describe('bodies of many lines', () => {
  const body = `[${'1,\n'.repeat(500_000)}1]`;

  it.each([
    ['announced', `${announced(body.length)}${body}`],
    ['in chunks', `${CHUNKED}${framed(body.slice(0, 700_000))}${framed(body.slice(700_000))}0\r\n\r\n`],
  ])('come whole, on several connections at a time: %s', async (_, bytes) => {
    const server = await serve();
    const answers = await Promise.all(Array.from({ length: 4 }, () => exchange(open(server), bytes)));
    for (const answer of answers) expect(answer).toMatch(new RegExp(`length ${body.length}$`));
  });

  it('come whole from a sender who ends his half of the connection', async () => {
    const answer = await exchange(open(await serve()), `${announced(body.length)}${body}`, true);
    expect(answer).toMatch(new RegExp(`length ${body.length}$`));
  });

  it('come whole through TLS', async () => {
    const [cert = '', key = ''] = await Promise.all(
      ['localhost.pem', 'key.pem'].map((name) =>
        readFile(new URL(`../http/tls/${name}`, import.meta.url), 'utf8'),
      ),
    );
    const server = await serve({ tls: { cert, key } });
    const port = Number(new URL(server.origin).port);
    const answers = await Promise.all(
      Array.from({ length: 3 }, () =>
        exchange(
          connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }),
          `${announced(body.length)}${body}`,
        ),
      ),
    );
    for (const answer of answers) expect(answer).toMatch(new RegExp(`length ${body.length}$`));
  });
});
