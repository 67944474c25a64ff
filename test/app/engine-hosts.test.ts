import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, defineApp, type EngineOptions } from '../../src/index.js';
import { type Loopback, listen } from '../http/loopback.js';

/** Requests to the local server: original host, path, authorization. */
const asked: string[] = [];
let local: Loopback;

beforeAll(async () => {
  local = await listen(
    createServer((incoming, outgoing) => {
      const { headers, url } = incoming;
      asked.push(`${headers['x-forwarded-host'] ?? '-'} ${url} ${headers.authorization ?? '-'}`);
      if (url === '/moved') {
        outgoing.writeHead(302, { location: 'https://files.example.net/f' }).end();
        return;
      }
      outgoing.setHeader('content-type', 'application/json');
      const next = url === '/list' ? 'https://api.example.com/list?page=2' : null;
      outgoing.end(JSON.stringify({ items: [{ url }], next }));
    }),
  );
});
afterAll(() => local.close());

const app = defineApp({
  name: 'shop',
  base: { baseUrl: 'https://api.example.com', headers: { authorization: 'Bearer {{connection.token}}' } },
  modules: {
    list: module('/list'),
    absolute: module('https://uploads.example.com/u'),
    moved: module('/moved'),
  },
});

function module(url: string) {
  const response = { iterate: '{{body.items}}', output: '{{item}}' };
  return { type: 'search' as const, communication: { url, response, pagination: { url: '{{body.next}}' } } };
}

async function run(name: string, options: Partial<EngineOptions>) {
  asked.length = 0;
  const engine = createEngine({ app, ...options });
  try {
    return await engine.module(name).run({ connection: { token: 'tok-123456' } });
  } finally {
    await engine.close();
  }
}

describe('the option hosts of an engine', () => {
  it('sends requests and next pages to a local server that http.allow need not list', async () => {
    const report = await run('list', { http: { rewrite: { 'https://api.example.com': local.origin } } });
    expect(report.error).toBeUndefined();
    expect(asked).toEqual([
      'api.example.com /list Bearer tok-123456',
      'api.example.com /list?page=2 Bearer tok-123456',
    ]);
  });

  it('applies to redirects', async () => {
    const { error } = await run('moved', { http: { rewrite: { '*': local.origin } } });
    expect(error).toBeUndefined();
    expect(asked).toEqual(['api.example.com /moved Bearer tok-123456', 'files.example.net /f -']);
  });

  it('applies to a transport of the embedder too', async () => {
    const urls: string[] = [];
    const { error } = await run('list', {
      http: {
        rewrite: { '*.example.com': 'http://127.0.0.1:1' },
        transport: ({ url }) => {
          urls.push(url);
          return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('{}'), url });
        },
      },
    });
    expect(error).toBeUndefined();
    expect(urls).toEqual(['http://127.0.0.1:1/list']);
  });

  it('is refused if invalid', () => {
    expect(() => createEngine({ app, http: { rewrite: { 'x/y': 'http://127.0.0.1' } } })).toThrow(
      /rewrite: "x\/y"/,
    );
  });
});

describe('the base url of an engine', () => {
  const network = { allow: ['loopback'] };

  it('replaces the one in the base', async () => {
    const report = await run('list', {
      http: { baseUrl: local.origin, ...network, rewrite: { 'https://api.example.com': local.origin } },
    });
    expect(report.error).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['an absolute url', 'absolute', 'https://uploads.example.com'],
    ['a link of a next page', 'list', 'https://api.example.com'],
    ['a redirect', 'moved', 'https://files.example.net'],
  ])('keeps %s from another host, and explains how to map it', async (_, name, origin) => {
    const { error } = await run(name, { http: { baseUrl: local.origin, ...network } });
    expect(error?.message).toContain(`--map ${origin}=${local.origin}`);
    expect(asked.filter((line) => !line.startsWith('- '))).toEqual([]);
  });

  it('is refused if invalid', () => {
    expect(() => createEngine({ app, http: { baseUrl: 'shop.example' } })).toThrow(/baseUrl: "shop.example"/);
  });
});
