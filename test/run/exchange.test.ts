import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, defineApp, type RunReport } from '../../src/index.js';
import { httpServer, type Loopback, listen } from '../http/loopback.js';

const pem = (name: string): string =>
  readFileSync(new URL(`../http/tls/${name}.pem`, import.meta.url), 'utf8');

/** A run over the real network, which is loopback. */
async function runOnce(
  baseUrl: string,
  communication: unknown,
  { allow = ['loopback'], common = {} }: { allow?: readonly string[]; common?: unknown } = {},
): Promise<RunReport> {
  const app = defineApp({
    name: 'net',
    base: { baseUrl },
    modules: { m: { type: 'action', communication } },
  });
  const engine = createEngine({ app, http: { allow } });
  try {
    return await engine.module('m').run({ common });
  } finally {
    await engine.close();
  }
}

describe('ca', () => {
  let server: Loopback;
  beforeAll(async () => {
    const options = { key: pem('key'), cert: pem('localhost') };
    server = await listen(
      createServer(options, (_incoming, out) => {
        out.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
        out.end('{"ok":1}');
      }),
      'https',
    );
  });
  afterAll(() => server.close());

  it('is evaluated and used in addition to the authorities of the system', async () => {
    const { bundles } = await runOnce(
      server.origin,
      { url: '/', ca: '{{common.ca}}' },
      { common: { ca: pem('ca') } },
    );
    expect(bundles).toEqual([{ ok: 1 }]);
  });

  it.each([
    ['absent', undefined],
    ['another one', pem('other-host')],
    ['no certificate', 'hello'],
  ])('that is %s makes a RuntimeError, as trying again cannot help', async (_title, ca) => {
    const { error } = await runOnce(server.origin, { url: '/', ca: '{{common.ca}}' }, { common: { ca } });
    expect(error).toMatchObject({ type: 'RuntimeError' });
  });
});

describe('the network guard', () => {
  it.each([
    ['a metadata service', 'http://169.254.169.254/latest/meta-data'],
    ['a private network', 'http://10.0.0.1/'],
    ['a mapped address', 'http://[::ffff:10.0.0.1]/'],
    ['a number', 'http://167772161/'],
  ])('refuses a redirect to %s, and the run says so', async (_title, location) => {
    const server = await httpServer((_incoming, out) => {
      out.writeHead(302, { location, connection: 'close' });
      out.end();
    });
    try {
      const { error } = await runOnce(server.origin, { url: '/' });
      expect(error).toMatchObject({ type: 'RuntimeError', cause: { code: 'NETWORK_REFUSED' } });
    } finally {
      await server.close();
    }
  });

  it('refuses requests to this machine unless allowed, and sends none', async () => {
    let calls = 0;
    const server = await httpServer((_incoming, out) => {
      calls++;
      out.end('{}');
    });
    try {
      const { error } = await runOnce(server.origin, { url: '/' }, { allow: [] });
      expect(error).toMatchObject({ type: 'RuntimeError', cause: { code: 'NETWORK_REFUSED' } });
      expect(calls).toBe(0);
    } finally {
      await server.close();
    }
  });
});
