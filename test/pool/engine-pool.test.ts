import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AppDefinition,
  AppError,
  type ConnectionStore,
  createEnginePool,
  EngineError,
  type EnginePool,
  type EnginePoolOptions,
  type StoredConnection,
  TransportError,
} from '../../src/index.js';
import { buildWorkers, WORKER_MODULES } from './build-workers.js';

let worker: URL;
let own: URL;
let setup: string;
let server: Server;
let baseUrl: string;
const folder = mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.pool-test-'));
const requests: string[] = [];
const pools: EnginePool[] = [];

beforeAll(async () => {
  const urlOf = await buildWorkers({ ...WORKER_MODULES, own: 'test/pool/own-worker.ts' });
  worker = urlOf('pool-worker');
  own = urlOf('own');
  setup = path.join(folder, 'setup.mjs');
  writeFileSync(
    setup,
    `export default ({ app, data }) => ({
      http: { allow: ['127.0.0.1'] },
      environment: { app: app.name, data, setups: (globalThis.setups = (globalThis.setups ?? 0) + 1) },
    });`,
  );
  server = createServer((request, response) => {
    requests.push(String(request.url));
    const url = new URL(String(request.url), 'http://local');
    const page = Number(url.searchParams.get('page') ?? 1);
    response.setHeader('content-type', 'application/json');
    if (url.pathname === '/missing') response.statusCode = 404;
    if (url.pathname === '/slow') return void setTimeout(() => response.end('{"page":1}'), 1500);
    const body =
      url.pathname === '/large'
        ? { text: 'x'.repeat(900_000) }
        : url.pathname === '/token'
          ? { token: `t${requests.length}` }
          : { items: [{ id: page * 10 }, { id: page * 10 + 1 }], page };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function createPool(options: EnginePoolOptions = {}): EnginePool {
  const pool = createEnginePool({ worker, setup, ...options });
  pools.push(pool);
  return pool;
}

const list = { type: 'search', communication: { url: '/items', response: { iterate: '{{body.items}}' } } };

function appWith(name: string, more: Partial<AppDefinition> = {}): AppDefinition {
  return { name, base: { baseUrl }, modules: { list }, ...more } as AppDefinition;
}

const HOSTILE = {
  functions: {
    loop: { code: 'function loop() { for (;;); }' },
    native: { code: 'function native() { return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }' },
  },
  modules: {
    list,
    native: { communication: { url: '/items', response: { output: '{{native()}}' } } },
    loop: { communication: { url: '/items', response: { output: '{{loop()}}' } } },
  },
} as const;

/** Outputs how often `setup` has run in its worker. */
const show = { communication: { response: { output: { setups: '{{environment.setups}}' } } } };

async function setupsOf(app: ReturnType<EnginePool['app']>): Promise<number> {
  const { bundles } = await app.module('show').run().orThrow();
  return Number((bundles[0] as { readonly setups: unknown }).setups);
}

/** The reason of a rejected promise. */
const failureOf = (work: PromiseLike<unknown>): Promise<EngineError> =>
  Promise.resolve(work).then(
    () => expect.fail('It did not fail.'),
    (error: unknown) => error as EngineError,
  );

describe('an app in a pool', () => {
  it('runs its modules in a worker, and returns the report of createEngine', async () => {
    const report = await createPool().app(appWith('report')).module('list').run();
    expect(report).toMatchObject({ ok: true, bundles: [{ id: 10 }, { id: 11 }], stats: { requests: 1 } });
    expect(report.trace.map(({ kind }) => kind)).toContain('response');
  });

  it('yields bundles page by page to an iterator, and stops when the loop ends early', async () => {
    const paged = {
      type: 'search',
      communication: {
        url: '/items',
        pagination: { qs: { page: '{{pagination.page}}' } },
        response: { iterate: '{{body.items}}' },
      },
    };
    const app = createPool().app(appWith('paged', { modules: { paged } } as never));
    requests.length = 0;
    const taken: unknown[] = [];
    for await (const bundle of app.module('paged').run()) {
      taken.push(bundle);
      if (taken.length === 5) break;
    }
    expect(taken).toEqual([10, 11, 20, 21, 30].map((id) => ({ id })));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(requests.length).toBeLessThan(8);
  });

  it('refuses to iterate one run twice', async () => {
    const run = createPool().app(appWith('twice')).module('list').run();
    await run;
    const iterate = async (): Promise<unknown> => run[Symbol.asyncIterator]().next();
    expect((await failureOf(iterate())).code).toBe('USAGE');
  });

  it('keeps class, code, type and source location of errors', async () => {
    const app = createPool().app(
      appWith('errors', { modules: { list, missing: { communication: { url: '/missing' } } } } as never),
    );
    const { error } = await app.module('missing').run();
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'HTTP_STATUS', type: 'RuntimeError', statusCode: 404 });
    expect(error?.place?.pointer).toBe('/modules/missing/communication/url');
    expect(await failureOf(app.module('lst').run())).toMatchObject({
      name: 'SpecError',
      code: 'SPEC_MISSING',
      message: 'The app "errors" has no module "lst". Did you mean "list"?',
    });
  });

  it('supports RPCs, parameters, and webhooks with a response and recipients of the caller', async () => {
    const app = createPool().app(
      appWith('components', {
        rpcs: { ids: { communication: { url: '/items', response: { output: { page: '{{body.page}}' } } } } },
        endpoints: { ids: { communication: { url: '/items', response: { output: '{{body.page}}' } } } },
        modules: { list: { ...list, mappableParams: [{ name: 'q', type: 'text' }] } },
        webhooks: {
          hook: {
            type: 'web-shared',
            communication: { uid: '{{body.user}}', respond: { body: { got: '{{body.n}}' } } },
          },
        },
      } as never),
    );
    expect(await app.rpc('ids').call()).toMatchObject({ ok: true, result: { page: 1 } });
    expect(await app.endpoint('ids').run()).toMatchObject({ ok: true, result: 1 });
    expect(await failureOf(app.module('list', 'trigger').epoch())).toMatchObject({ code: 'USAGE' });
    expect((await app.module('list').parameters()).mappable).toMatchObject([{ name: 'q' }]);
    const request = new Request('http://local/hook', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'u1', n: 3 }),
    });
    const report = await app.webhook('hook').handle(request, { connections: async (uid) => [`of ${uid}`] });
    expect(report).toMatchObject({ ok: true, recipients: ['of u1'] });
    expect([report.response.status, await report.response.json()]).toEqual([200, { got: 3 }]);
  });

  it('is set up by a module that receives the app and the data of the pool', async () => {
    const output = { app: '{{environment.app}}', key: '{{environment.data.key}}' };
    const show = { communication: { response: { output } } };
    const pool = createPool({ setupData: { key: 'k' } });
    const report = await pool
      .app(appWith('set up', { modules: { show } } as never))
      .module('show')
      .run();
    expect(report.bundles).toEqual([{ app: 'set up', key: 'k' }]);
  });

  it('refreshes a stored connection in the store of the main thread, one worker at a time', async () => {
    const stored = {
      component: 'oauth',
      connection: { token: 'old' },
      parameters: {},
      metadata: undefined,
      uid: undefined,
      expires: undefined,
      oauth: undefined,
      common: undefined,
    } satisfies StoredConnection;
    const kept = new Map<string, StoredConnection>([['mine', stored]]);
    let saves = 0;
    const connections: ConnectionStore = {
      get: async (name) => kept.get(name),
      save: async (name, value) => {
        saves++;
        kept.set(name, value);
      },
    };
    const app = createPool({ connections, threads: 3, setupData: baseUrl }).app(
      appWith('stored', {
        connections: {
          oauth: {
            type: 'oauth',
            communication: {
              refresh: {
                condition: '{{data.token = "old"}}',
                url: '{{environment.data}}/token',
                response: { data: { token: '{{body.token}}' } },
              },
            },
          },
        },
        modules: {
          read: {
            connection: 'oauth',
            communication: { response: { output: { token: '{{connection.token}}' } } },
          },
        },
      } as never),
    );
    const runs = await Promise.all([1, 2, 3, 4].map(() => app.module('read').run({ connection: 'mine' })));
    expect(runs.map(({ error }) => error?.message)).toEqual([undefined, undefined, undefined, undefined]);
    expect(new Set(runs.map(({ bundles }) => JSON.stringify(bundles))).size).toBe(1);
    const { token } = kept.get('mine')?.connection ?? {};
    expect([saves, runs[0]?.bundles]).toEqual([1, [{ token }]]);
  });

  it('is loaded again after reload', async () => {
    const source = appWith('again', { modules: { show } } as never);
    const pool = createPool({ threads: 1 });
    const first = await setupsOf(pool.app(source));
    expect(await setupsOf(pool.app(source))).toBe(first);
    pool.reload(source);
    expect(await setupsOf(pool.app(source))).toBe(first + 1);
  });

  it('is evicted if a worker has used more apps than it keeps since then, and onEvict is called', async () => {
    const evicted: string[] = [];
    const pool = createPool({ threads: 1, maxApps: 2, onEvict: (app) => evicted.push(app) });
    const use = (name: string): Promise<number> =>
      setupsOf(pool.app(appWith(name, { modules: { show } } as never)));
    expect([await use('a'), await use('b'), await use('a'), await use('c')]).toEqual([1, 2, 1, 3]);
    expect([await use('a'), await use('b')]).toEqual([1, 4]);
    await expect.poll(() => evicted).toEqual(['b', 'c']);
  });
});

describe('bytes in flight', () => {
  /** The times at which two runs, each in a worker, had read their first response and ended. */
  async function readTwo(
    maxBytesInFlight: number,
  ): Promise<readonly (readonly [read: number, end: number])[]> {
    const read = {
      communication: [
        { url: '/large', response: { output: { length: '{{length(body.text)}}' } } },
        { url: '/slow' },
      ],
    };
    const pool = createPool({ threads: 2, maxBytesInFlight });
    return Promise.all(
      ['a', 'b'].map(async (name) => {
        const { trace } = await pool
          .app(appWith(name, { modules: { read } } as never))
          .module('read')
          .run()
          .orThrow();
        const times = trace.filter(({ kind }) => kind === 'response').map(({ at }) => at);
        return [times[0] ?? 0, times.at(-1) ?? 0] as const;
      }),
    );
  }

  it('make a run wait with its response until another one has ended', async () => {
    const [first, second] = (await readTwo(1024 * 1024)).toSorted(([a], [b]) => a - b);
    expect(second?.[0]).toBeGreaterThanOrEqual(first?.[1] ?? 0);
  });

  it('allow concurrent reads that fit together', async () => {
    const [first, second] = (await readTwo(16 * 1024 * 1024)).toSorted(([a], [b]) => a - b);
    expect(second?.[0]).toBeLessThan(first?.[1] ?? 0);
  });
});

describe('an app that blocks its worker', () => {
  it('ends with WORKER_TERMINATED at the deadline, whatever its function does, and runs again afterwards', async () => {
    const app = createPool({ threads: 1, runTimeoutMs: 2500 }).app(appWith('native', HOSTILE as never));
    const error = await failureOf(app.module('native').run());
    expect(error).toBeInstanceOf(EngineError);
    expect(error.code).toBe('WORKER_TERMINATED');
    expect(error.message).toContain('took longer than 2500 ms');
    expect((await app.module('list').run()).ok).toBe(true);
  });

  it('does not prevent another app from running', async () => {
    const pool = createPool({ threads: 2, runTimeoutMs: 6000 });
    const hostile = pool.app(appWith('hostile', HOSTILE as never));
    const other = pool.app(appWith('other'));
    await other.module('list').run();
    const ends = [1, 2, 3].map(() => failureOf(hostile.module('native').run()));
    const startMs = performance.now();
    for (let runs = 0; runs < 5; runs++) expect((await other.module('list').run()).ok).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(5500);
    for (const { code } of await Promise.all(ends)) expect(code).toBe('WORKER_TERMINATED');
  });

  it('has a separate, shorter deadline for webhooks', async () => {
    const hook = { type: 'web', communication: { condition: '{{native()}}' } };
    const app = createPool({ threads: 1, webhookTimeoutMs: 2500 }).app(
      appWith('slow hook', { ...HOSTILE, webhooks: { hook } } as never),
    );
    const call = { method: 'POST', url: '/', headers: [], body: new Uint8Array() };
    expect((await failureOf(app.webhook('hook').handle(call))).message).toContain('longer than 2500 ms');
  });

  it('is aborted by the signal of its caller with the reason, in a loop too', async () => {
    const app = createPool({ threads: 1 }).app(appWith('stopped', HOSTILE as never));
    await app.module('list').run();
    const reason = new Error('stop');
    const controller = new AbortController();
    const run = failureOf(app.module('loop').run({ signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 100);
    expect(await run).toBe(reason);
    expect((await app.module('list').run()).ok).toBe(true);
  });
});

describe('a task', () => {
  it('calls an export of a module with structured clones, and calls functions of the main thread', async () => {
    const pool = createPool();
    const calls = { double: (value: { readonly n: number }) => ({ n: value.n * 2 }) };
    const task = { module: own, app: 'a', timeoutMs: 5000 };
    expect(await pool.run({ ...task, name: 'callBack', input: { n: 4 }, calls })).toEqual({ n: 8 });
    expect((await failureOf(pool.run({ ...task, name: 'callBack', input: 1 }))).message).toContain(
      '"double"',
    );
    expect((await failureOf(pool.run({ ...task, name: 'none', input: 1 }))).code).toBe('USAGE');
    const bundles = await pool.run({ ...task, name: 'bundlesOf', input: appWith('task') });
    expect(bundles).toEqual([{ id: 10 }, { id: 11 }]);
  });

  it('keeps the messages of its errors', async () => {
    const pool = createPool();
    const fail = (kind: string): Promise<EngineError> =>
      failureOf(pool.run({ module: own, name: 'fail', app: 'a', input: kind }));
    const transport = await fail('transport');
    expect(transport).toBeInstanceOf(TransportError);
    expect(transport).toMatchObject({ code: 'NETWORK_FAILED', errno: 'ECONNRESET', retryable: true });
    expect(transport.cause).toMatchObject({ message: 'socket' });
    expect(await fail('usage')).toMatchObject({
      code: 'USAGE',
      place: { file: 'base.imljson', line: 3, column: 4 },
    });
    expect(await fail('plain')).toMatchObject({ name: 'RangeError', message: 'odd', code: 'ERR_ODD' });
    expect(await fail('text')).toBe('text');
  });

  it('is refused if input or output cannot be cloned, and leaves the worker usable', async () => {
    const pool = createPool({ threads: 1 });
    const task = { module: own, app: 'a' };
    expect((await failureOf(pool.run({ ...task, name: 'whereAmI', input: () => 1 }))).code).toBe('USAGE');
    expect((await failureOf(pool.run({ ...task, name: 'unsendable', input: 1 }))).code).toBe('USAGE');
    expect(await pool.run({ ...task, name: 'whereAmI', input: 1 })).toEqual(expect.any(Number));
  });

  it('ends with the worker if it uses too much memory', async () => {
    const pool = createPool({ threads: 1, resourceLimits: { maxOldGenerationSizeMb: 48 } });
    const error = await failureOf(pool.run({ module: own, name: 'fill', app: 'a', input: 1 }));
    expect([error.code, error.message]).toEqual([
      'WORKER_TERMINATED',
      expect.stringContaining('out of memory'),
    ]);
    expect(await pool.run({ module: own, name: 'whereAmI', app: 'a', input: 1 })).toEqual(expect.any(Number));
  });

  it('may restart its deadline', async () => {
    const pool = createPool();
    const task = { module: own, name: 'steps', app: 'a', timeoutMs: 1500 };
    expect(await pool.run({ ...task, input: 600 })).toBe('done');
  });

  it('waits for the worker that is busy with its app, and is not lost with it', async () => {
    const pool = createPool({ threads: 2, runTimeoutMs: 2500 });
    const task = { module: own, app: 'a', input: 1 };
    await pool.run({ ...task, name: 'whereAmI' });
    const endless = failureOf(pool.run({ ...task, name: 'loop' }));
    expect(await pool.run({ ...task, name: 'whereAmI' })).toEqual(expect.any(Number));
    expect((await endless).code).toBe('WORKER_TERMINATED');
  });

  it('is aborted with a reason that it can handle', async () => {
    const pool = createPool();
    const signal = AbortSignal.timeout(50);
    const error = await failureOf(
      pool.run({ module: own, name: 'untilAborted', app: 'a', input: 1, signal }),
    );
    expect(error).toBe(signal.reason);
  });
});

describe('workers', () => {
  const waitAs = (pool: EnginePool, app: string, ms = 300): Promise<unknown> =>
    pool.run({ module: own, name: 'wait', app, input: ms });

  it('run one app at a time, and an app uses all but one of them', async () => {
    const pool = createPool({ threads: 3 });
    const threadsOf = async (app: string, runs: number): Promise<Set<unknown>> =>
      new Set(await Promise.all(Array.from({ length: runs }, () => waitAs(pool, app))));
    const [first, second] = await Promise.all([threadsOf('a', 6), threadsOf('b', 6)]);
    expect([first.size, second.size]).toEqual([2, 1]);
    expect([...first].filter((thread) => second.has(thread))).toEqual([]);
  });

  it('stay with their app if another worker is free', async () => {
    const pool = createPool({ threads: 2 });
    const [first, second] = [await waitAs(pool, 'a', 1), await waitAs(pool, 'b', 1)];
    expect(second).not.toBe(first);
    expect([await waitAs(pool, 'b', 1), await waitAs(pool, 'a', 1)]).toEqual([second, first]);
  });

  it('are assigned to a waiting app before others start more', async () => {
    const pool = createPool({ threads: 2 });
    await Promise.all(['a', 'b'].map((app) => waitAs(pool, app, 1)));
    const ended: string[] = [];
    const run = async (app: string): Promise<void> => {
      await waitAs(pool, app, 200);
      ended.push(app);
    };
    const busy = ['a', 'b', 'a', 'b'].map(run);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([...busy, run('c'), run('a'), run('b')]);
    expect(ended.indexOf('c')).toBeLessThan(6);
  });

  it('end when the pool is closed, after the runs in progress', async () => {
    const pool = createPool({ threads: 1, runsPerWorker: 1 });
    await waitAs(pool, 'a', 1);
    const started = waitAs(pool, 'a', 200);
    const waiting = failureOf(waitAs(pool, 'b'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pool.close();
    expect(await started).toEqual(expect.any(Number));
    expect((await waiting).code).toBe('WORKER_TERMINATED');
    expect((await failureOf(waitAs(pool, 'a'))).message).toBe('The engine pool is closed.');
  });

  it('that cannot be started end the runs with WORKER_TERMINATED', async () => {
    const pool = createPool({ resourceLimits: { maxOldGenerationSizeMb: 1 } });
    expect((await failureOf(waitAs(pool, 'a'))).code).toBe('WORKER_TERMINATED');
  });
});

describe('options of createEnginePool', () => {
  it.each([
    [{ thread: 2 }, 'unknown member "thread". Did you mean "threads"?'],
    [{ threads: 0 }, '"threads" has to be a whole number'],
    [{ resourceLimits: { maxOldGenerationSize: 1 } }, 'Did you mean "maxOldGenerationSizeMb"?'],
    [{ worker: './nowhere.js' }, 'The option "worker" of createEnginePool names no file'],
  ])('%j are refused', (options, message) => {
    expect(() => createEnginePool({ worker, ...options } as never)).toThrow(message);
  });
});
