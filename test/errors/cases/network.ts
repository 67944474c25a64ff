import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { completeResponses } from '../../../src/engine/http/content-decoding.js';
import { createEngine, type createUndiciTransport, defineApp } from '../../../src/index.js';
import { httpServer, type Loopback, listen, loopbackTransport, request } from '../../http/loopback.js';
import type { ErrorCase } from './error-case.js';

type TransportOptions = NonNullable<Parameters<typeof createUndiciTransport>[0]>;

const pem = (name: string): Buffer => readFileSync(new URL(`../../http/tls/${name}.pem`, import.meta.url));

const ask = async (server: Promise<Loopback>, options: TransportOptions = {}): Promise<unknown> => {
  const { origin, close } = await server;
  onTestFinished(close);
  const transport = loopbackTransport(options);
  onTestFinished(() => transport.close());
  return completeResponses(transport)(request(`${origin}/`));
};

const answered = (listener: RequestListener, options?: TransportOptions) =>
  ask(httpServer(listener), options);

const runAgainst = async (url: string): Promise<never> => {
  const app = defineApp({ name: 'test', modules: { m: { type: 'action', communication: { url } } } });
  await using engine = createEngine({ app });
  const report = await engine.module('m').run();
  throw report.error?.cause;
};

export const NETWORK: readonly ErrorCase[] = [
  {
    code: 'NETWORK_REFUSED',
    title: 'a loopback address',
    provoke: () => runAgainst('http://127.0.0.1:9/'),
    cause: 'Error',
  },
  {
    code: 'NETWORK_FAILED',
    title: 'a closed port',
    provoke: () => loopbackTransport()(request('http://127.0.0.1:1/')),
    cause: 'ECONNREFUSED',
  },
  {
    code: 'NETWORK_CERTIFICATE',
    title: 'an unknown certificate authority',
    provoke: () => ask(listen(createTlsServer({ key: pem('key'), cert: pem('localhost') }), 'https')),
    cause: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  },
  {
    code: 'NETWORK_RESPONSE_TOO_LARGE',
    title: 'a response beyond the size limit of the transport',
    provoke: () => answered((_, out) => out.end('x'.repeat(2000)), { maxResponseBytes: 1000 }),
  },
  {
    code: 'NETWORK_TIMEOUT',
    title: 'no response headers within the time limit',
    provoke: () => answered(() => {}, { headersTimeoutMs: 20 }),
    cause: 'UND_ERR_HEADERS_TIMEOUT',
  },
  {
    code: 'NETWORK_REDIRECTS',
    title: 'a redirect loop',
    provoke: () => answered((_, out) => out.writeHead(302, { location: '/' }).end()),
  },
  {
    code: 'NETWORK_DECODE',
    title: 'a truncated gzip body',
    provoke: () =>
      answered((_, out) => {
        const body = gzipSync('x'.repeat(2000)).subarray(0, 20);
        out.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
      }),
    cause: 'Z_BUF_ERROR',
  },
  {
    code: 'REQUEST_INVALID',
    title: 'an address with another scheme',
    provoke: () => loopbackTransport()(request('ftp://example.com/')),
  },
];
