import { describe, expect, it } from 'vitest';
import { identifyConnection } from '../../src/engine/component/start-run.js';
import type { EngineError } from '../../src/index.js';
import { service } from '../run/helpers.js';
import { engineOf } from './engine-of.js';

const REFUSED = { url: '/refused', response: { data: { a: '{{body.a}}' } } };
const TRIGGER = { iterate: '{{body}}', trigger: { type: 'id', id: '{{item.id}}' } };

/** Every component of this app calls an API that fails. */
function refusedEngine(): ReturnType<typeof engineOf>['engine'] {
  const { transport } = service(() => ({ status: 403, json: { why: 'no' } }));
  const oauth = {
    preauthorize: { url: 'https://api.example.test/pre' },
    authorize: { url: 'https://api.example.test/page' },
    token: { url: 'https://api.example.test/token' },
    refresh: { url: 'https://api.example.test/refresh' },
    info: { url: 'https://api.example.test/me' },
    invalidate: { url: 'https://api.example.test/end' },
  };
  return engineOf(
    {
      connections: {
        key: { type: 'basic', communication: { url: 'https://api.example.test/me' } },
        page: { type: 'oauth', communication: oauth },
      },
      modules: {
        act: { type: 'action', communication: REFUSED },
        none: { type: 'action' },
        watch: { type: 'trigger', communication: { url: '/n', response: TRIGGER }, epoch: { response: {} } },
        answer: { type: 'responder', communication: { response: { body: '{{fail()}}' } } },
      },
      rpcs: { list: { communication: REFUSED }, none: {} },
      webhooks: {
        hook: {
          communication: { output: '{{fail()}}' },
          attach: REFUSED,
          detach: REFUSED,
          update: REFUSED,
        },
      },
    },
    { http: { transport } },
  ).engine;
}

interface Reported extends PromiseLike<{ readonly ok: boolean; readonly error?: EngineError | undefined }> {
  readonly orThrow: () => Promise<unknown>;
}

const KNOWN = { connection: { a: 1 } };

const RUNS: readonly (readonly [
  title: string,
  start: (engine: ReturnType<typeof refusedEngine>) => Reported,
])[] = [
  ['a run of a module', (engine) => engine.module('act').run()],
  ['a run of a module without communication', (engine) => engine.module('none').run()],
  ['an epoch', (engine) => engine.module('watch', 'trigger').epoch()],
  ['a responder', (engine) => engine.module('answer', 'responder').respond()],
  ['an RPC', (engine) => engine.rpc('list').call()],
  ['an RPC without communication', (engine) => engine.rpc('none').call()],
  ['create', (engine) => engine.connection('key').create()],
  ['authorize', (engine) => engine.connection('page').authorize({ redirectUri: 'https://me.example.test/' })],
  ['test', (engine) => engine.connection('key').test(KNOWN)],
  ['refresh', (engine) => engine.connection('page').refresh(KNOWN, { force: true })],
  [
    'refresh of an expired connection',
    (engine) => engine.connection('page').refresh({ ...KNOWN, expires: '2020-01-01' }),
  ],
  ['invalidate', (engine) => engine.connection('page').invalidate(KNOWN)],
  ['an unknown connection', (engine) => engine.openConnection('absent')],
  ['attach', (engine) => engine.webhook('hook').attach()],
  ['update', (engine) => engine.webhook('hook').update()],
  ['detach', (engine) => engine.webhook('hook').detach()],
  [
    'a call of a webhook',
    (engine) => engine.webhook('hook').handle(new Request('https://me.example.test/h')),
  ],
];

/** Codes other than HTTP_STATUS. */
const CODES: Readonly<Record<string, string>> = {
  'a run of a module without communication': 'APP_ERROR',
  'a responder': 'APP_ERROR',
  'an RPC without communication': 'APP_ERROR',
  refresh: 'OAUTH_TOKEN_REFUSED',
  'refresh of an expired connection': 'CONNECTION_EXPIRED',
  'an unknown connection': 'CONNECTION_MISSING',
  'a call of a webhook': 'APP_ERROR',
};

describe('a failure of the API or app', () => {
  it.each(RUNS)('becomes the error of the report and is thrown by orThrow: %s', async (title, start) => {
    await using engine = refusedEngine();
    const report = await start(engine);
    expect(report.ok).toBe(false);
    expect(report.error).toMatchObject({ code: CODES[title] ?? 'HTTP_STATUS' });
    const again = await start(engine)
      .orThrow()
      .then(
        () => undefined,
        (error: Error) => error,
      );
    expect(again?.message).toBe(report.error?.message);
  });

  it('keeps trace, warnings and stats in the report', async () => {
    await using engine = refusedEngine();
    const { stats, trace, error } = await engine.connection('key').create();
    expect(stats.requests).toBe(1);
    expect(trace.map(({ kind }) => kind)).toEqual(['request', 'response']);
    expect(error).toMatchObject({ statusCode: 403 });
  });
});

describe('a successful report', () => {
  it('is returned by orThrow', async () => {
    const { transport } = service(() => ({ json: [{ id: 1 }] }));
    await using engine = engineOf(
      { rpcs: { list: { communication: { url: '/n' } } } },
      { http: { transport } },
    ).engine;
    const report = await engine.rpc('list').call().orThrow();
    expect(report).toMatchObject({ ok: true, error: undefined, result: [{ id: 1 }], stats: { requests: 1 } });
  });
});

describe('a mistake of the caller', () => {
  it.each<[string, (engine: ReturnType<typeof refusedEngine>) => PromiseLike<unknown>]>([
    ['an epoch of an action', (engine) => engine.module('act', 'trigger').epoch()],
    ['an answer of an action', (engine) => engine.module('act', 'responder').respond()],
    ['create where a page is needed', (engine) => engine.connection('page').create()],
    [
      'authorize without a page',
      (engine) => engine.connection('key').authorize({ redirectUri: 'https://a.test/' }),
    ],
    ['a state that is none', (engine) => engine.module('watch').run({ state: { lastId: {} } as never })],
  ])('is thrown: %s', async (_title, call) => {
    await using engine = refusedEngine();
    await expect(async () => call(engine)).rejects.toMatchObject({ code: 'USAGE' });
  });
});

const identify = (data: Readonly<Record<string, unknown>>): string => identifyConnection(data);

describe('identifyConnection', () => {
  it('returns the same id for equal data without revealing the data', () => {
    const name = identify({ token: 'secret', nested: { list: [1, null] } });
    expect(identify({ token: 'secret', nested: { list: [1, null] } })).toBe(name);
    expect(identify({ token: 'another', nested: { list: [1, null] } })).not.toBe(name);
    expect(name).toMatch(/^[\w-]{43}$/);
  });

  it('returns one id for all data that JSON cannot represent', () => {
    const holdsItself: Record<string, unknown> = {};
    holdsItself['self'] = holdsItself;
    expect(identify(holdsItself)).toBe('other');
  });
});
