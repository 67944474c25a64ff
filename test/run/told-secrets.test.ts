import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type RunReport, type TransportRequest } from '../../src/index.js';
import { engineOf, respond, service } from './helpers.js';

const TOKEN = 'tok_live_9f8e7d6c5b4a';
const HIDDEN = '[SANITIZED]';

const answer = (bytes: number): object => ({ access_token: TOKEN, pad: 'p'.repeat(bytes) });

/** All output of a run. */
const told = ({ error, trace, warnings }: RunReport): string =>
  JSON.stringify([error?.message, trace, warnings]);

describe('a secret of an earlier response', () => {
  const login = { url: '/login', response: { temp: { t: '{{body.access_token}}' } } };
  const fail = { valid: { condition: false, message: 'No {{temp.t}}' } };

  it.each([1, 63, 65, 200, 257, 2000])(
    'is redacted in an error, also after a response of %d KiB',
    async (kib) => {
      const { transport } = service((_request, call) => ({ json: call === 1 ? answer(kib * 1024) : {} }));
      const report = await engineOf([login, { url: '/x/{{temp.t}}', response: fail }], {
        http: { transport },
      }).run();
      expect(report.error?.message).toBe(`No ${HIDDEN}`);
      expect(told(report)).not.toContain(TOKEN);
    },
  );

  it.each([3, 30, 80])('is redacted after %d responses of 30 KiB', async (pages) => {
    const { transport } = service((request, call) => {
      const page = { items: [{ id: 1 }], pad: 'p'.repeat(30 * 1024), next: call < pages };
      return { json: request.url.endsWith('/x') ? {} : call === pages ? { ...page, ...answer(1) } : page };
    });
    const paged = {
      url: '/items',
      response: { iterate: '{{body.items}}', temp: { t: '{{body.access_token}}' } },
      pagination: { qs: { page: '{{pagination.page}}' }, condition: '{{body.next}}' },
    };
    const chain = [paged, { url: '/x', response: fail }];
    const report = await engineOf(chain, { http: { transport }, limits: { maxPages: 100 } }).run();
    expect(report.error?.message).toBe(`No ${HIDDEN}`);
  });

  it('is redacted in the trace of a successful run', async () => {
    const { transport } = service((_request, call) => ({ json: call === 1 ? answer(80 * 1024) : {} }));
    const chain = [login, { url: '/x/{{temp.t}}/y' }, { url: '/z' }];
    const report = await engineOf(chain, { http: { transport } }).run();
    expect(told(report)).not.toContain(TOKEN);
    expect(told(report)).toContain(`/x/${HIDDEN}/y`);
  });

  it('is redacted if a request had it in its body', async () => {
    const { transport } = service(() => ({ json: {} }));
    const chain = [
      { url: '/a', method: 'POST', body: { secret: '{{parameters.given}}' } },
      { url: '/b', response: { valid: { condition: false, message: 'No {{parameters.given}}' } } },
    ];
    const report = await engineOf(chain, { http: { transport } }).run({ parameters: { given: TOKEN } });
    expect(report.error?.message).toBe(`No ${HIDDEN}`);
  });

  it('is not sent to a host that the app does not name, as the link of a page', async () => {
    const there: TransportRequest[] = [];
    const app = defineApp({
      name: 'far',
      base: { baseUrl: 'https://api.example.test' },
      modules: {
        m: {
          type: 'search',
          communication: [
            login,
            {
              url: '/pages',
              headers: { 'X-T': '{{temp.t}}' },
              qs: { z: '{{temp.t}}' },
              response: { iterate: '{{body.items}}' },
              pagination: { url: '{{body.next}}' },
            },
          ],
        },
      },
    });
    const engine = createEngine({
      app,
      http: {
        transport: async (request) => {
          const isLogin = request.url.endsWith('/login');
          if (request.url.startsWith('https://other.test')) {
            there.push(request);
            return respond({ json: { items: [] } }, request.url);
          }
          const json = isLogin ? answer(80 * 1024) : { items: [{ id: 1 }], next: 'https://other.test/p2' };
          return respond({ json }, request.url);
        },
      },
    });
    await engine.module('m').run({});
    await engine.close();
    expect(there).toHaveLength(1);
    expect(JSON.stringify(there)).not.toContain(TOKEN);
  });
});

describe('a number under a secret name', () => {
  const PIN = 88997766;
  const tell = (pin: unknown) => ({
    chain: [
      { url: '/login', response: { temp: { q: '{{body.pin}}' } } },
      {
        url: '/x',
        qs: { v: '{{temp.q}}' },
        response: { valid: { condition: false, message: 'was {{temp.q}}' } },
      },
    ],
    answers: service((_request, call) => ({ json: call === 1 ? { pin, other: pin } : {} })),
  });

  it.each(['summary', 'full'] as const)('is known from an answer on: trace %s', async (trace) => {
    const { chain, answers } = tell(PIN);
    const report = await engineOf(chain, { http: { transport: answers.transport }, trace }).run();
    expect(report.error?.message).toBe(`was ${HIDDEN}`);
    expect(told(report)).not.toContain(String(PIN));
  });

  it('is not redacted elsewhere if short', async () => {
    const { chain, answers } = tell(4711);
    const report = await engineOf(chain, { http: { transport: answers.transport } }).run();
    expect(report.error?.message).toBe('was 4711');
  });
});

describe('the link of a next page of an endpoint', () => {
  const TOKEN_OF_CONNECTION = 'token-of-the-connection';
  const app = defineApp({
    name: 'through',
    base: {
      baseUrl: 'https://api.example.test',
      headers: { Authorization: 'Bearer {{connection.accessToken}}' },
    },
    endpoints: {
      list: { communication: { url: '{{parameters.url}}' } },
      either: {
        communication: [
          { condition: '{{!parameters.url}}', url: '/items' },
          { condition: '{{parameters.url}}', url: '{{parameters.url}}' },
        ],
      },
      given: {
        communication: {
          condition: { condition: '{{parameters.url}}', default: '{{parameters.first}}' },
          url: '{{parameters.url}}',
        },
      },
    },
    modules: {
      pages: {
        type: 'search',
        communication: {
          endpoint: 'list',
          input: { url: '/items' },
          response: { iterate: '{{body.items}}' },
          pagination: { input: { url: '{{body.next}}' }, condition: '{{body.next}}' },
        },
      },
      others: {
        type: 'search',
        communication: {
          endpoint: 'either',
          input: {},
          response: { iterate: '{{body.items}}' },
          pagination: { endpoint: 'list', input: { url: '{{body.next}}' }, condition: '{{body.next}}' },
        },
      },
      otherRequests: {
        type: 'search',
        communication: {
          endpoint: 'either',
          input: {},
          response: { iterate: '{{body.items}}' },
          pagination: { input: { url: '{{body.next}}' }, condition: '{{body.next}}' },
        },
      },
      givenFirst: {
        type: 'search',
        communication: [
          { url: '/items', response: { temp: { first: '{{body}}' } } },
          {
            endpoint: 'given',
            input: { first: '{{temp.first}}' },
            response: { iterate: '{{body.items}}' },
            pagination: { input: { url: '{{body.next}}' }, condition: '{{body.next}}' },
          },
        ],
      },
      repeats: {
        type: 'search',
        communication: {
          endpoint: 'list',
          input: { url: '{{ifempty(body.next; "/items")}}' },
          repeat: { condition: '{{body.next}}', limit: 3 },
          response: { iterate: '{{body.items}}' },
        },
      },
    },
  });

  it.each([
    ['pages', 'https://evil.test/p', false],
    ['repeats', 'https://evil.test/p', false],
    ['others', 'https://evil.test/p', false],
    ['otherRequests', 'https://evil.test/p', false],
    ['givenFirst', 'https://evil.test/p', false],
    ['pages', 'https://api.example.test/p', true],
    ['repeats', 'https://api.example.test/p', true],
    ['others', 'https://api.example.test/p', true],
    ['otherRequests', 'https://api.example.test/p', true],
    ['givenFirst', 'https://api.example.test/p', true],
  ])('takes secrets along to the host of the first page only: %s, %s', async (name, next, isSent) => {
    const there: TransportRequest[] = [];
    const engine = createEngine({
      app,
      http: {
        transport: async (request) => {
          const isFurther = request.url === next;
          if (isFurther) there.push(request);
          return respond(
            { json: isFurther ? { items: [{ id: 2 }] } : { items: [{ id: 1 }], next } },
            request.url,
          );
        },
      },
    });
    const report = await engine.module(name).run({ connection: { accessToken: TOKEN_OF_CONNECTION } });
    await engine.close();
    expect(report.error).toBeUndefined();
    expect(there).toHaveLength(1);
    expect(JSON.stringify(there).includes(TOKEN_OF_CONNECTION)).toBe(isSent);
    expect(report.warnings.some(({ code }) => code === 'other-host')).toBe(!isSent);
  });
});

describe('debug output of an app and warnings of a run', () => {
  it.each(['summary', 'full', 'deep'] as const)(
    'has no secret of the last answer: trace %s',
    async (trace) => {
      const { transport } = service(() => ({ json: answer(10) }));
      for (const onTrace of [undefined, () => {}]) {
        const app = defineApp({
          name: 'printing',
          base: { baseUrl: 'https://api.example.test' },
          functions: { dbg: { code: "function dbg(x) { debug(x); return 'ok' }" } },
          modules: {
            m: {
              type: 'action',
              communication: { url: '/x', response: { output: { said: '{{dbg(body.access_token)}}' } } },
            },
          },
        });
        const heard: unknown[] = [];
        const engine = createEngine({
          app,
          http: { transport },
          trace,
          ...(onTrace !== undefined && { onTrace: (event) => heard.push(event) }),
        });
        const report = await engine.module('m').run({});
        await engine.close();
        expect(report.bundles).toEqual([{ said: 'ok' }]);
        expect(report.trace.filter(({ kind }) => kind === 'debug')).toMatchObject([{ values: [HIDDEN] }]);
        expect(JSON.stringify(heard)).not.toContain(TOKEN);
      }
    },
  );

  it('contains no secret in a name', async () => {
    const { transport } = service(() => ({ json: {} }));
    const { engine } = engineOf(
      { url: '/x', qs: { '{{connection.apiKey}}': { a: 1 } } },
      { http: { transport } },
    );
    const report = await engine.module('m').run({ connection: { apiKey: TOKEN } });
    expect(report.warnings.map(({ message }) => message)).toEqual([expect.stringContaining(HIDDEN)]);
    expect(told(report)).not.toContain(TOKEN);
  });
});
