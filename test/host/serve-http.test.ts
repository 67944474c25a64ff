import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOST_LIMITS, type HostLimits } from '../../src/host/work/limits.js';
import { type HostServer, serveHttp } from '../../src/host/serve-http.js';
import { send } from './send.js';

const servers: HostServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(100);
});

interface Served {
  readonly origin: string;
  readonly port: number;
  /** Lengths of the bodies that came through. */
  readonly taken: number[];
}

async function serve(limits: Partial<HostLimits> = {}): Promise<Served> {
  const taken: number[] = [];
  const handle = async (request: Request): Promise<Response> => {
    taken.push((await request.arrayBuffer()).byteLength);
    return new Response('taken');
  };
  const server = await serveHttp(handle, { ...DEFAULT_HOST_LIMITS, ...limits });
  servers.push(server);
  return { origin: server.origin, port: Number(new URL(server.origin).port), taken };
}

/** Writes bytes to a port and resolves with all that came back by the time the server closed the connection. */
function converse(port: number, parts: readonly string[], everyMs = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    let next = 0;
    const socket = connect(port, '127.0.0.1');
    const timer = setInterval(() => {
      const part = parts[next++];
      if (part !== undefined && !socket.destroyed) socket.write(part);
    }, everyMs);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    // What is written after the server has closed.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.once('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

const MEGABYTE = 1024 * 1024;

describe('the size of a payload', () => {
  it('may be 5 MB, and one byte more is refused, whether it is announced or not', async () => {
    const { origin, port, taken } = await serve();
    const most = await send(`${origin}/x`, { body: Buffer.alloc(5 * MEGABYTE) });
    expect([most.status, taken]).toEqual([200, [5 * MEGABYTE]]);
    const more = await send(`${origin}/x`, { body: Buffer.alloc(5 * MEGABYTE + 1) });
    expect([more.status, await more.text()]).toEqual([413, 'The payload is larger than 5242880 bytes.']);
    expect(more.headers.get('connection')).toBe('close');
    const chunk = `${MEGABYTE.toString(16)}\r\n${'x'.repeat(MEGABYTE)}\r\n`;
    const chunked = await converse(port, [
      'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...Array.from({ length: 8 }, () => chunk),
      '0\r\n\r\n',
    ]);
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
    expect(taken).toHaveLength(1);
  });

  it('is a setting', async () => {
    const { origin, taken } = await serve({ maxBodyBytes: 10 });
    expect((await send(`${origin}/x`, { body: '0123456789' })).status).toBe(200);
    expect((await send(`${origin}/x`, { body: '0123456789a' })).status).toBe(413);
    expect(taken).toEqual([10]);
  });

  it('reaches a sender that reads the answer only after it has sent everything', async () => {
    const { origin } = await serve({ maxBodyBytes: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(`${origin}/x`, { body: Buffer.alloc(4 * MEGABYTE) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
  });
});

describe('a sender that takes its time', () => {
  it('is cut off where the head does not come', async () => {
    const { port, taken } = await serve({ headerTimeoutMs: 300, bodyTimeoutMs: 600 });
    const drops = Array.from({ length: 100 }, (_, index) => `X-${index}: a\r\n`);
    const answer = await converse(port, ['POST /x HTTP/1.1\r\nHost: h\r\n', ...drops], 100);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(taken).toEqual([]);
  });

  it('is cut off where the body does not come', async () => {
    const { port, taken } = await serve({ headerTimeoutMs: 300, bodyTimeoutMs: 600 });
    const head = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n';
    const answer = await converse(port, [head, ...Array.from({ length: 100 }, () => 'a')], 100);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(taken).toEqual([]);
  });

  it('keeps no other waiting', async () => {
    const { origin, port } = await serve({ headerTimeoutMs: 60_000, bodyTimeoutMs: 60_000 });
    const slow = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
    for (const socket of slow) {
      socket.on('error', () => {});
      socket.write('POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\na');
    }
    expect((await send(`${origin}/x`, { body: 'ok' })).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });
});

it('refuses more requests at a time than allowed, with 503', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let running = 0;
  const server = await serveHttp(
    async () => {
      running++;
      await held;
      return new Response('ok');
    },
    { ...DEFAULT_HOST_LIMITS, maxRequests: 2 },
  );
  servers.push(server);
  const first = [send(`${server.origin}/1`), send(`${server.origin}/2`)];
  while (running < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const third = await send(`${server.origin}/3`);
  expect([third.status, third.headers.get('retry-after')]).toEqual([503, '1']);
  release();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
});
