import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import * as agentFile from 'undici/lib/dispatcher/agent.js';
import { afterEach, describe, expect, it } from 'vitest';
import { createAgentPool, loadUndici } from '../../src/engine/http/undici-transport.js';
import { createNetworkGuard, createUndiciTransport } from '../../src/index.js';
import { countListeners } from '../shared/count-listeners.js';
import {
  httpServer,
  type Loopback,
  listen,
  loopbackTransport,
  rawServer,
  readBody,
  request,
  text,
} from './loopback.js';

const open: { close: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const resource of open.splice(0)) await resource.close();
});

async function using<T extends { close: () => Promise<void> }>(resource: T | Promise<T>): Promise<T> {
  const made = await resource;
  open.unshift(made);
  return made;
}

const transportWith = (options?: Parameters<typeof createUndiciTransport>[0]) => {
  const transport = loopbackTransport(options);
  open.push(transport);
  return transport;
};

const pem = (name: string): string => readFileSync(new URL(`tls/${name}.pem`, import.meta.url), 'utf8');

const tlsServer = (certificate: string): Promise<Loopback> =>
  listen(
    createTlsServer({ key: pem('key'), cert: pem(certificate) }, (_in, out) => out.end('secure')),
    'https',
  );

describe('the sent request', () => {
  it('has method, path and query byte for byte, headers in order and repeated, and the body', async () => {
    const server = await using(
      httpServer(async (incoming, out) => {
        const body = await readBody(incoming);
        out.end(
          JSON.stringify({ method: incoming.method, url: incoming.url, raw: incoming.rawHeaders, body }),
        );
      }),
    );
    const response = await transportWith()(
      request(`${server.origin}/a/../%2e%2e/b;c?x=%zz&y`, {
        method: 'PATCH',
        headers: [
          ['X-List', 'a'],
          ['X-List', 'b'],
          ['X-Latin', 'é'],
        ],
        body: Buffer.from('hello'),
      }),
    );
    const seen = JSON.parse(text(response.body));
    expect(seen).toMatchObject({ method: 'PATCH', url: '/a/../%2e%2e/b;c?x=%zz&y', body: 'hello' });
    const names = seen.raw.filter((_: string, index: number) => index % 2 === 0);
    expect(names.map((name: string) => name.toLowerCase())).toEqual([
      'host',
      'connection',
      'x-list',
      'x-list',
      'x-latin',
      'content-length',
    ]);
    expect(seen.raw).toContain('é');
    expect(response.url).toBe(`${server.origin}/a/../%2e%2e/b;c?x=%zz&y`);
  });

  it('has no body for undefined, and an empty body for an empty array', async () => {
    const server = await using(
      httpServer((incoming, out) => out.end(String(incoming.headers['content-length']))),
    );
    const transport = transportWith();
    expect(text((await transport(request(server.origin))).body)).toBe('undefined');
    const empty = await transport(request(server.origin, { method: 'POST', body: new Uint8Array() }));
    expect(text(empty.body)).toBe('0');
  });

  it.each(['get', 'G T', '', 'GET\r\n', 'CONNECT'])('rejects the method %j', async (method) => {
    await expect(transportWith()(request('http://127.0.0.1:1/', { method }))).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it.each<[string, readonly [string, string]]>([
    ['a line break in a value', ['X-A', 'a\r\nb: c']],
    ['a line break in a name', ['X-A\r\nb', 'c']],
    ['a length', ['Content-Length', 'x']],
    ['an encoding of the message', ['Transfer-Encoding', 'chunked']],
  ])('rejects %s even if the caller did not validate headers', async (_title, header) => {
    await expect(
      transportWith()(request('http://127.0.0.1:1/', { headers: [header] })),
    ).rejects.toMatchObject({ name: 'TransportError', code: 'REQUEST_INVALID' });
  });

  it.each([
    'http://127.0.0.1:1/a b',
    'http://127.0.0.1:1/\r\nX: 1',
    'http://127.0.0.1:1/€',
    'ftp://127.0.0.1/',
    '/x',
  ])('rejects the URL %j', async (url) => {
    await expect(transportWith()(request(url))).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});

describe('the received response', () => {
  it('has headers by lower-case own name, set-cookie as a list', async () => {
    const server = await using(
      httpServer((_in, out) => {
        out.setHeader('X-Many', ['a', 'b']);
        out.setHeader('Set-Cookie', 'c=1');
        out.statusCode = 404;
        out.end();
      }),
    );
    const { status, headers } = await transportWith()(request(server.origin));
    expect(status).toBe(404);
    expect('constructor' in headers).toBe(false);
    expect(headers).toMatchObject({ 'x-many': 'a, b', 'set-cookie': ['c=1'] });
  });

  it('has complete large bodies, with and without Content-Length', async () => {
    const body = Buffer.alloc(3_000_000, 'abcdefg');
    const server = await using(
      httpServer((incoming, out) => {
        if (incoming.url === '/announced') out.setHeader('Content-Length', body.length);
        out.write(body.subarray(0, 1000));
        out.end(body.subarray(1000));
      }),
    );
    for (const path of ['/announced', '/chunked']) {
      const response = await transportWith()(request(server.origin + path));
      expect(Buffer.compare(body, response.body)).toBe(0);
    }
  });
});

describe('an abort', () => {
  it('rejects with the reason before, during and after the headers', async () => {
    const server = await using(
      rawServer((socket, head) => {
        if (head.startsWith('GET /body')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi');
      }),
    );
    const transport = transportWith();
    const reason = new Error('enough');
    await expect(transport(request(server.origin, { signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    );
    for (const path of ['/silent', '/body']) {
      const controller = new AbortController();
      const pending = transport(request(server.origin + path, { signal: controller.signal }));
      setTimeout(() => controller.abort(reason), 50);
      await expect(pending).rejects.toBe(reason);
    }
  });

  it('passes on any reason, even one that is not an error', async () => {
    const server = await using(rawServer(() => {}));
    const controller = new AbortController();
    const pending = transportWith()(request(server.origin, { signal: controller.signal }));
    setTimeout(() => controller.abort('just so'), 20);
    await expect(pending).rejects.toBe('just so');
  });

  it('never leaks the rest of an aborted response into the next request', async () => {
    const sockets: Socket[] = [];
    const controller = new AbortController();
    const server = await using(
      rawServer((socket, _head, count) => {
        sockets.push(socket);
        if (count > 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood');
        else {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhi');
          setTimeout(() => controller.abort(), 30);
        }
      }),
    );
    const transport = transportWith({ maxConnectionsPerOrigin: 1 });
    const first = transport(request(server.origin, { signal: controller.signal }));
    await expect(first).rejects.toThrow();
    sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    expect(text((await transport(request(server.origin))).body)).toBe('good');
  });

  it('prevents a request that waits for a connection', async () => {
    let seen = 0;
    const server = await using(
      httpServer((_in, out) => {
        seen++;
        setTimeout(() => out.end('ok'), 80);
      }),
    );
    const transport = transportWith({ maxConnectionsPerOrigin: 1 });
    const controller = new AbortController();
    const first = transport(request(server.origin));
    const second = transport(request(server.origin, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(text((await first).body)).toBe('ok');
    expect(text((await transport(request(server.origin))).body)).toBe('ok');
    expect(seen).toBe(2);
  });

  it('uses one listener on the signal for all requests, and notifies only running ones', async () => {
    const server = await using(httpServer((_in, out) => out.end('ok')));
    const hung = await using(httpServer(() => {}));
    const controller = new AbortController();
    const { signal } = controller;
    const listeners = countListeners(signal);
    const transport = transportWith();
    for (let index = 0; index < 20; index++) {
      expect(text((await transport(request(server.origin, { signal }))).body)).toBe('ok');
      await expect(transport(request('http://10.0.0.1/', { signal }))).rejects.toThrow();
    }
    expect(listeners()).toBeLessThanOrEqual(1);
    const running = [1, 2, 3].map(() => transport(request(hung.origin, { signal })));
    controller.abort(new Error('enough'));
    for (const one of running) await expect(one).rejects.toThrow('enough');
    await expect(transport(request(server.origin, { signal }))).rejects.toThrow('enough');
  });
});

describe('connections', () => {
  it.each(['http', 'https'])('are kept alive: %s', async (scheme) => {
    const sockets = new Set<unknown>();
    const answer = (incoming: IncomingMessage, out: ServerResponse): void => {
      sockets.add(incoming.socket);
      out.end('ok');
    };
    const tls = { key: pem('key'), cert: pem('localhost') };
    const server = await using(
      scheme === 'http' ? httpServer(answer) : listen(createTlsServer(tls, answer), 'https'),
    );
    const transport = transportWith();
    for (let turn = 0; turn < 10; turn++) {
      await transport(request(server.origin, { ca: scheme === 'https' ? pem('ca') : undefined }));
    }
    // Without TLS a second connection may be opened while the first one settles.
    expect(sockets.size).toBeLessThanOrEqual(scheme === 'https' ? 1 : 2);
  });

  it('are closed if the server sends bytes after a response; the next request does not receive them', async () => {
    const server = await using(
      rawServer((socket, _head, count) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${count}`);
        if (count === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
      }),
    );
    const transport = transportWith();
    const bodies: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const body = await transport(request(server.origin)).then(
        (response) => text(response.body),
        () => 'failed',
      );
      bodies.push(body);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(bodies).toEqual(['1', '2', '3']);
  });

  it('are not opened after close', async () => {
    const server = await using(httpServer((_in, out) => out.end('ok')));
    const transport = loopbackTransport();
    await transport(request(server.origin));
    await transport.close();
    await transport.close();
    await expect(transport(request(server.origin))).rejects.toMatchObject({ code: 'USAGE' });
    await loopbackTransport().close();
  });
});

describe('failures of the network', () => {
  it('refused connection', async () => {
    const server = await httpServer(() => {});
    await server.close();
    const error: unknown = await transportWith()(request(`${server.origin}/hush?hush=1`)).catch(
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'NETWORK_FAILED', errno: 'ECONNREFUSED', retryable: true });
    expect(String(error)).toBe(
      `TransportError: ${server.origin}: the connection was refused (ECONNREFUSED).`,
    );
    expect(JSON.stringify(error)).not.toContain('hush');
  });

  it('unknown host name', async () => {
    const guard = createNetworkGuard({
      resolve: (_host, _options, callback) =>
        callback(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), []),
    });
    const transport = await using(createUndiciTransport({ guard }));
    await expect(transport(request('http://nowhere.test/'))).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      errno: 'ENOTFOUND',
      retryable: true,
    });
  });

  it('connection timeout', async () => {
    const guard = createNetworkGuard({ resolve: () => {} });
    const transport = await using(createUndiciTransport({ guard, connectTimeoutMs: 100 }));
    await expect(transport(request('http://slow.test/'))).rejects.toMatchObject({
      code: 'NETWORK_TIMEOUT',
      retryable: true,
    });
  });

  it('https to an http server', async () => {
    const server = await using(httpServer((_in, out) => out.end()));
    await expect(transportWith()(request(server.origin.replace('http:', 'https:')))).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      retryable: false,
    });
  });
});

describe('the network guard', () => {
  it.each([
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://2130706433:1/',
    'http://localhost:1/',
    'http://127.0.0.1.:1/',
  ])('blocks %s without a connection', async (url) => {
    const transport = await using(createUndiciTransport());
    await expect(transport(request(url))).rejects.toMatchObject({
      name: 'TransportError',
      code: 'NETWORK_REFUSED',
      retryable: false,
    });
  });

  it('checks the address it connects to, again for each connection', async () => {
    let seen = 0;
    const server = await using(
      httpServer((_in, out) => {
        seen++;
        out.setHeader('Connection', 'close');
        out.end('ok');
      }),
    );
    const answers = ['127.0.0.1', '10.0.0.1'];
    const guard = createNetworkGuard({
      allow: ['loopback'],
      resolve: (_host, _options, callback) =>
        callback(null, [{ address: answers.shift() ?? '10.0.0.1', family: 4 }]),
    });
    const transport = await using(createUndiciTransport({ guard }));
    const url = server.origin.replace('127.0.0.1', 'rebind.test');
    expect(text((await transport(request(url))).body)).toBe('ok');
    await expect(transport(request(url))).rejects.toMatchObject({ code: 'NETWORK_REFUSED' });
    expect(seen).toBe(1);
  });

  it('ignores proxy variables', async () => {
    const server = await using(httpServer((_in, out) => out.end('direct')));
    process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      expect(text((await transportWith()(request(server.origin))).body)).toBe('direct');
    } finally {
      delete process.env['HTTP_PROXY'];
      delete process.env['http_proxy'];
    }
  });
});

describe('TLS', () => {
  const send = async (certificate: string, ca: string | undefined) => {
    const server = await using(tlsServer(certificate));
    return transportWith()(request(server.origin, { ca }));
  };

  it('accepts an authority of a request for that request only', async () => {
    const server = await using(tlsServer('localhost'));
    const transport = transportWith();
    expect(text((await transport(request(server.origin, { ca: pem('ca') }))).body)).toBe('secure');
    expect(text((await transport(request(server.origin, { ca: pem('ca') }))).body)).toBe('secure');
    await expect(transport(request(server.origin))).rejects.toMatchObject({ code: 'NETWORK_CERTIFICATE' });
  });

  it.each([
    ['an unknown authority', 'localhost', undefined],
    ['another host', 'other-host', 'ca'],
    ['an expired one', 'expired', 'ca'],
    ['the wrong authority', 'localhost', 'other-host'],
  ])('rejects the certificate of %s', async (_title, certificate, ca) => {
    await expect(send(certificate, ca && pem(ca))).rejects.toMatchObject({
      code: 'NETWORK_CERTIFICATE',
      retryable: false,
    });
  });

  it('accepts a hundred authorities, and rejects more before reading any', async () => {
    const hundred = pem('ca').trim().concat('\n').repeat(100);
    expect(text((await send('localhost', hundred)).body)).toBe('secure');
    const message = 'ca is too large: expected at most 100 certificates and 262144 characters.';
    for (const ca of [hundred + pem('ca'), `${pem('ca')}${'#'.repeat(262_144)}`]) {
      await expect(send('localhost', ca)).rejects.toMatchObject({ code: 'REQUEST_INVALID', message });
    }
  });

  it.each(['no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'rejects the ca %j',
    async (ca) => {
      await expect(send('localhost', ca)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    },
  );

  it('keeps a bounded number of authorities', async () => {
    const server = await using(tlsServer('localhost'));
    const transport = transportWith();
    for (let turn = 0; turn < 20; turn++) {
      const response = await transport(request(server.origin, { ca: `${pem('ca')}\n# ${turn}\n` }));
      expect(text(response.body)).toBe('secure');
    }
  });

  it('keeps the 16 authorities used last, and closes connections of others', async () => {
    const timeouts = { connectTimeoutMs: 1000, headersTimeoutMs: 1000, bodyTimeoutMs: 1000 };
    const guard = createNetworkGuard();
    const pool = await using(createAgentPool({ guard, maxConnectionsPerOrigin: 1, ...timeouts }));
    const authority = (turn: number): string => `${pem('ca')}\n# ${turn}\n`;
    const agents = Array.from({ length: 16 }, (_, turn) => pool.agentFor(authority(turn)));
    const [first, second] = agents;
    expect(pool.agentFor(authority(0))).toBe(first);
    pool.agentFor(authority(16));
    expect(agents.map((agent) => agent.closed)).toEqual(agents.map((agent) => agent === second));
    expect(pool.agentFor(authority(0))).toBe(first);
    expect(pool.agentFor(authority(1))).not.toBe(second);
  });
});

it('loadUndici finds the dispatcher files of the installed undici', async () => {
  const undici = await loadUndici();
  expect(agentFile.default).toBe(Agent);
  expect(undici.Agent).toBe(Agent);
  expect(undici.buildConnector).toBe(buildConnector);
});
