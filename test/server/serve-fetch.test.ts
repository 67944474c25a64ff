import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type FetchServer, type ServeFetchOptions, serveFetch } from '../../src/shared/server/serve-fetch.js';
import { send } from '../host/send.js';

type Limits = ServeFetchOptions['limits'];

const LIMITS: Limits = {
  maxBodyBytes: 5 * 1024 * 1024,
  maxBytesInFlight: 128 * 1024 * 1024,
  maxRequests: 1000,
  headerTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
};

const servers: FetchServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(100);
});

interface Served {
  readonly origin: string;
  readonly port: number;
  /** Lengths of the received bodies. */
  readonly taken: number[];
  /** Total bytes of all bodies read so far. */
  readonly readBytes: () => number;
}

async function serve(limits: Partial<Limits> = {}): Promise<Served> {
  const taken: number[] = [];
  let readBytes = 0;
  const handle = async ({ body }: Request): Promise<Response> => {
    let bytes = 0;
    for await (const chunk of body ?? []) {
      bytes += chunk.byteLength;
      readBytes += chunk.byteLength;
    }
    taken.push(bytes);
    return new Response('taken');
  };
  const server = await serveFetch(handle, { limits: { ...LIMITS, ...limits } });
  servers.push(server);
  const port = Number(new URL(server.origin).port);
  return { origin: server.origin, port, taken, readBytes: () => readBytes };
}

/** Writes bytes to a port and resolves with all received bytes when the server closes the connection. */
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
    // Writes after the server has closed.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    socket.once('close', () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Blocks the event loop for a while. */
function holdUp(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const MEGABYTE = 1024 * 1024;

describe('the size of a payload', () => {
  it('is limited to 5 MB, and one more byte is refused, with or without a declared length', async () => {
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

  it('is reported to a sender that reads the response only after it has sent everything', async () => {
    const { origin } = await serve({ maxBodyBytes: 1000 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(`${origin}/x`, { body: Buffer.alloc(4 * MEGABYTE) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
  });
});

describe('a client that does not read its response', () => {
  it('does not use a place of other requests', async () => {
    // More than the socket buffers of both sides.
    const handle = async (): Promise<Response> => new Response(Buffer.alloc(64 * MEGABYTE));
    const limits = { ...LIMITS, maxRequests: 1, headerTimeoutMs: 1000, bodyTimeoutMs: 1000 };
    const server = await serveFetch(handle, { limits });
    servers.push(server);
    const lazy = connect(Number(new URL(server.origin).port), '127.0.0.1').pause();
    lazy.on('error', () => {});
    lazy.write('GET /x HTTP/1.1\r\nHost: h\r\n\r\n');
    const ask = async (): Promise<number> => (await send(`${server.origin}/x`, { method: 'GET' })).status;
    await expect.poll(ask).toBe(503);
    await expect.poll(ask).toBe(200);
    lazy.destroy();
  });
});

it.each(['/a/../b', '/a/%2e%2e/b', '/a/.%2E', '/./b', '/%2e'])(
  'refuses a request target with dot segments, which a proxy may read differently: %s',
  async (path) => {
    const { port, taken } = await serve();
    const head = `GET ${path}?x=/../y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
    expect(await converse(port, [head])).toMatch(/^HTTP\/1\.1 400 /);
    expect(taken).toEqual([]);
    const other = 'GET /a..b/.well-known/...?x=/../y HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
    expect(await converse(port, [other])).toMatch(/^HTTP\/1\.1 200 /);
  },
);

describe('a slow sender', () => {
  it('holds at most half of the places with the bodies of one path', async () => {
    const { origin, port } = await serve({ maxRequests: 10 });
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      socket.write('POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nhalf');
      return socket;
    });
    const post = async (path: string): Promise<number> =>
      (await send(`${origin}${path}`, { body: '{}' })).status;
    await expect.poll(() => post('/slow')).toBe(503);
    expect(await post('/other')).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => post('/slow')).toBe(200);
  });

  it('holds at most three quarters of the places with the bodies of its paths', async () => {
    const { port } = await serve({ maxRequests: 12 });
    const post = (path: string, localAddress: string, body: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
        socket.once('data', (data) => resolve(data.toString('latin1', 0, 12)));
        socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n${body}`);
      });
    for (let n = 0; n < 12; n++) void post(`/slow-${n}`, '127.0.0.1', '{');
    await expect.poll(() => post('/other', '127.0.0.1', '{}')).toBe('HTTP/1.1 503');
    expect(await post('/other', '127.0.0.2', '{}')).toBe('HTTP/1.1 200');
  });

  it('is disconnected if the head does not arrive', async () => {
    const { port, taken } = await serve({ headerTimeoutMs: 300, bodyTimeoutMs: 600 });
    const drops = Array.from({ length: 100 }, (_, index) => `X-${index}: a\r\n`);
    const answer = await converse(port, ['POST /x HTTP/1.1\r\nHost: h\r\n', ...drops], 100);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(taken).toEqual([]);
  });

  it('is disconnected if the body does not arrive', async () => {
    const { port, taken } = await serve({ headerTimeoutMs: 300, bodyTimeoutMs: 600 });
    const head = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n';
    const answer = await converse(port, [head, ...Array.from({ length: 100 }, () => 'a')], 100);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(taken).toEqual([]);
  });

  it('is disconnected long before the time limit of the body if it sends almost nothing', async () => {
    const { port } = await serve({ headerTimeoutMs: 60_000, bodyTimeoutMs: 60_000 });
    const head = 'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n';
    const startedAt = performance.now();
    const answer = await converse(port, [head, ...Array.from({ length: 1000 }, () => 'a')], 500);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('is not disconnected for time in which the process itself was blocked', async () => {
    const { port } = await serve({ headerTimeoutMs: 200, bodyTimeoutMs: 400 });
    const parts = [
      ['POST /x HTTP/1.1\r\nHost: h\r\n', 'Connection: close\r\nContent-Length: 2\r\n\r\nab'],
      ['POST /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\na', 'b'],
    ] as const;
    const answers = parts.map(async ([first, rest]) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(first);
      // The server has accepted the connection, and waits for the rest.
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      socket.write(rest);
      // The written bytes are in the socket buffer and are read when the process resumes.
      holdUp(900);
      return text(socket);
    });
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('delays no other request', async () => {
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

describe('pipelined requests', () => {
  const ask = 'GET /x HTTP/1.1\r\nHost: h\r\n\r\n';

  it('get their responses in order, up to a hundred', async () => {
    const { port, taken } = await serve();
    const last = ask.replace('Host: h', 'Host: h\r\nConnection: close');
    const answer = await converse(port, [ask.repeat(99) + last]);
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(100);
    expect(taken).toHaveLength(100);
  });

  it('close their connection beyond that, and do not reach the handler', async () => {
    const { origin, port, taken } = await serve();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(ask.repeat(50_000));
    await closed;
    expect((await send(`${origin}/x`, { body: 'ok' })).status).toBe(200);
    expect(taken.length).toBeLessThanOrEqual(101);
  });

  it('release their places when their connection closes', async () => {
    const { origin, port } = await serve({ maxRequests: 20 });
    for (let round = 0; round < 5; round++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(ask.repeat(90), () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    await expect.poll(async () => (await send(`${origin}/x`, { body: 'ok' })).status).toBe(200);
  });

  it('do not count after their response', async () => {
    const { port, taken } = await serve();
    const socket = connect(port, '127.0.0.1');
    let answers = '';
    socket.on('data', (data) => {
      answers += data.toString('latin1');
    });
    for (let round = 1; round <= 5; round++) {
      socket.write(ask.repeat(60));
      await expect.poll(() => answers.match(/HTTP\/1\.1 200 /g)?.length).toBe(60 * round);
    }
    socket.destroy();
    expect(taken).toHaveLength(300);
  });
});

it('responds with 503 to more concurrent requests than allowed', async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let running = 0;
  const server = await serveFetch(
    async () => {
      running++;
      await held;
      return new Response('ok');
    },
    { limits: { ...LIMITS, maxRequests: 2 } },
  );
  servers.push(server);
  const first = [send(`${server.origin}/1`), send(`${server.origin}/2`)];
  while (running < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const third = await send(`${server.origin}/3`);
  expect([third.status, third.headers.get('retry-after')]).toEqual([503, '1']);
  release();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
});

describe('open connections', () => {
  /** Opens a connection from a loopback address and reports whether the server responds or closes it. */
  const ask = async (port: number, localAddress: string): Promise<{ socket: Socket; answered: boolean }> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    const answered = new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true));
      socket.once('close', () => resolve(false));
    });
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    return { socket, answered: await answered };
  };

  it('are limited in total across peers; closing one lets another peer connect', async () => {
    const { port } = await serve({ maxConnections: 4 });
    const open = [];
    for (const peer of ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']) open.push(await ask(port, peer));
    expect(open.map(({ answered }) => answered)).toEqual([true, true, true, true]);
    expect((await ask(port, '127.0.0.3')).answered).toBe(false);
    open[0]?.socket.destroy();
    const retry = async (): Promise<boolean> => {
      const { socket, answered } = await ask(port, '127.0.0.3');
      if (answered) open.push({ socket, answered });
      return answered;
    };
    await expect.poll(retry).toBe(true);
    for (const { socket } of open) socket.destroy();
  });
});

/** Opens connections that each send a head and a part of the declared body. */
function sendHalf(port: number, count: number, path: string, bytes: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${bytes * 2}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes));
    return socket;
  });
}

describe('bytes in flight', () => {
  it('lead to 503 beyond the limit, and are released when the requests end', async () => {
    const { origin, port, taken, readBytes } = await serve({ maxBytesInFlight: 3 * MEGABYTE });
    const half = sendHalf(port, 2, '/x', MEGABYTE);
    // Places used by earlier connections would block the second one.
    await expect.poll(readBytes).toBe(2 * MEGABYTE);
    expect((await send(`${origin}/x`, { body: Buffer.alloc(2 * MEGABYTE) })).status).toBe(503);
    const small = await send(`${origin}/x`, { body: 'ok' });
    expect([small.status, taken.at(-1)]).toEqual([200, 2]);
    for (const socket of half) socket.destroy();
    await expect
      .poll(async () => (await send(`${origin}/x`, { body: Buffer.alloc(2 * MEGABYTE) })).status)
      .toBe(200);
  });

  it('are not read for an address unknown to the handler', async () => {
    const server = await serveFetch(async () => new Response('nothing here', { status: 404 }), {
      limits: { ...LIMITS, maxBytesInFlight: 1 },
    });
    servers.push(server);
    const answer = await send(`${server.origin}/nowhere`, { body: Buffer.alloc(4 * MEGABYTE) });
    expect(answer.status).toBe(404);
  });
});

describe('a handler', () => {
  const answer = async (handle: (request: Request) => Promise<Response>, head: string): Promise<string> => {
    const server = await serveFetch(handle, { limits: LIMITS });
    servers.push(server);
    return converse(Number(new URL(server.origin).port), [`${head}\r\nHost: h\r\nConnection: close\r\n\r\n`]);
  };

  it('can set several cookies', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1; Path=/'],
      ['set-cookie', 'b=2'],
    ]);
    const text = await answer(async () => new Response('', { headers }), 'GET / HTTP/1.1');
    expect(text.match(/^set-cookie: .*$/gim)).toEqual(['set-cookie: a=1; Path=/', 'set-cookie: b=2']);
  });

  it('receives repeated headers joined, and cookies as one', async () => {
    const text = await answer(
      async ({ headers }) => new Response(`${headers.get('x-a')} | ${headers.get('cookie')}`),
      'GET / HTTP/1.1\r\nX-A: 1\r\nX-A: 2\r\nCookie: a=1\r\nCookie: b=2',
    );
    expect(text).toContain('1, 2 | a=1; b=2');
  });

  it.each(['GET /a\\b HTTP/1.1', 'GET * HTTP/1.1', 'TRACE / HTTP/1.1'])('never receives %s', async (head) => {
    let calls = 0;
    const text = await answer(async () => {
      calls++;
      return new Response('');
    }, head);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(calls).toBe(0);
  });

  it('returns to HEAD the length of the body that is not sent', async () => {
    const text = await answer(
      async () => new Response(null, { headers: { 'content-length': '12' } }),
      'HEAD / HTTP/1.1',
    );
    expect(text).toMatch(/content-length: 12/i);
  });

  it('that throws leads to a 500 response', async () => {
    const text = await answer(() => Promise.reject(new Error('secret')), 'GET / HTTP/1.1');
    expect(text).toMatch(/^HTTP\/1\.1 500 /);
    expect(text).not.toContain('secret');
  });
});

describe('closing the server', () => {
  const serveHeld = async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await serveFetch(
      async () => {
        await held;
        return new Response('late');
      },
      { limits: LIMITS },
    );
    return { server, port: Number(new URL(server.origin).port), release };
  };

  it('does not wait for idle connections or incomplete requests', async () => {
    const { server, port } = await serveHeld();
    const idle = connect(port, '127.0.0.1');
    const half = connect(port, '127.0.0.1');
    for (const socket of [idle, half]) socket.on('error', () => {});
    half.write('GET / HTTP/1.1\r\nHo');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await server.close(60_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await expect(fetch(server.origin)).rejects.toThrow();
  });

  it('does not wait for an incomplete TLS handshake', async () => {
    const [cert, key] = await Promise.all(
      ['localhost.pem', 'key.pem'].map((name) =>
        readFile(new URL(`../http/tls/${name}`, import.meta.url), 'utf8'),
      ),
    );
    const server = await serveFetch(async () => new Response(''), {
      limits: LIMITS,
      tls: { cert: cert ?? '', key: key ?? '' },
    });
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await server.close(60_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('waits for responses in progress during the grace time', async () => {
    const { server, release } = await serveHeld();
    const answer = send(`${server.origin}/`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closing = server.close(60_000);
    setTimeout(release, 100);
    expect(await (await answer).text()).toBe('late');
    await closing;
  });

  it('disconnects them after the grace time', async () => {
    const { server } = await serveHeld();
    const answer = send(`${server.origin}/`).catch((error: Error) => error);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.close(100);
    expect(await answer).toBeInstanceOf(Error);
  });
});
