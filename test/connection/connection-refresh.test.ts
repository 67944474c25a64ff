import { describe, expect, it } from 'vitest';
import {
  type ConnectionStore,
  createEngine,
  defineApp,
  type Engine,
  type StoredConnection,
  type Transport,
} from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { memoryStore } from './memory-store.js';

const NOW = Date.UTC(2024, 4, 1);

const APP = defineApp({
  name: 'app',
  connections: {
    oauth: {
      type: 'oauth',
      communication: {
        refresh: {
          url: 'https://api.example.test/token',
          method: 'POST',
          body: { token: '{{data.refreshToken}}' },
          response: {
            data: {
              accessToken: '{{body.access}}',
              refreshToken: '{{body.refresh}}',
              expires: '{{addHours(now; 1)}}',
            },
          },
        },
      },
    },
    other: { type: 'basic', communication: { url: 'https://api.example.test/me' } },
  },
  modules: {
    read: {
      type: 'action',
      connection: 'oauth',
      communication: { url: 'https://api.example.test/read/{{connection.accessToken}}' },
    },
    open: { type: 'action', communication: { url: 'https://api.example.test/open' } },
  },
});

const STORED: StoredConnection = {
  component: 'oauth',
  connection: { accessToken: 'a0', refreshToken: 'r0', expires: '2024-04-30T00:00:00.000Z' },
  parameters: {},
  metadata: undefined,
  uid: undefined,
  expires: undefined,
  oauth: undefined,
  common: undefined,
};

/** A token endpoint that accepts each refresh token once; a second use returns 400. */
function createService(): {
  readonly transport: Transport;
  readonly refreshes: () => number;
  readonly hold: () => () => void;
} {
  let generation = 0;
  let held: Promise<void> | undefined;
  const answer = (request: { url: string }, status: number, body: unknown) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    url: request.url,
  });
  const transport: Transport = async (request) => {
    if (!request.url.endsWith('/token')) return answer(request, 200, { url: request.url });
    const { token } = JSON.parse(Buffer.from(request.body ?? []).toString());
    if (token !== `r${generation}`) return answer(request, 400, {});
    generation++;
    await held;
    request.signal.throwIfAborted();
    return answer(request, 200, { access: `a${generation}`, refresh: `r${generation}` });
  };
  const hold = (): (() => void) => {
    let release: () => void = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      held = undefined;
      release();
    };
  };
  return { transport, hold, refreshes: () => generation };
}

function engineOf(transport: Transport, connections?: ConnectionStore): Engine {
  return createEngine({ app: APP, http: { transport }, connections, clock: createVirtualClock(NOW) });
}

describe('a refresh before use', () => {
  it('happens once for 1000 concurrent runs, which all use the new token', async () => {
    const service = createService();
    const store = memoryStore({ mine: STORED });
    const engine = engineOf(service.transport, store);
    const reports = await Promise.all(
      Array.from({ length: 1000 }, () => engine.module('read').run({ connection: 'mine' })),
    );
    expect(new Set(reports.map(({ error }) => error))).toEqual(new Set([undefined]));
    expect(
      new Set(reports.flatMap(({ bundles }) => bundles).map((bundle) => JSON.stringify(bundle))),
    ).toEqual(new Set(['{"url":"https://api.example.test/read/a1"}']));
    expect([service.refreshes(), store.saves('mine')]).toEqual([1, 1]);
  });

  it('happens once for 1000 concurrent callers with the same data', async () => {
    const service = createService();
    const connection = engineOf(service.transport).connection('oauth');
    const reports = await Promise.all(
      Array.from({ length: 1000 }, () => connection.refresh({ connection: { ...STORED.connection } })),
    );
    expect(new Set(reports.map(({ stored }) => stored?.connection['accessToken']))).toEqual(new Set(['a1']));
    expect(service.refreshes()).toBe(1);
  });

  it('happens separately for each connection', async () => {
    const service = createService();
    const connection = engineOf(service.transport).connection('oauth');
    const [first, second] = await Promise.all([
      connection.refresh(STORED),
      connection.refresh({ ...STORED, connection: { ...STORED.connection, refreshToken: 'of another' } }),
    ]);
    expect([first.ok, second.ok]).toEqual([true, false]);
  });

  it('happens again for callers that arrive after it ended', async () => {
    const service = createService();
    const store = memoryStore({ mine: STORED });
    const engine = engineOf(service.transport, store);
    await engine.module('read').run({ connection: 'mine' });
    await engine.module('read').run({ connection: 'mine' });
    expect([service.refreshes(), store.reads('mine')]).toEqual([1, 2]);
  });

  it('continues for the others if the first caller aborts', async () => {
    const service = createService();
    const release = service.hold();
    const store = memoryStore({ mine: STORED });
    const engine = engineOf(service.transport, store);
    const leaving = new AbortController();
    const started = engine.openConnection('mine', { signal: leaving.signal });
    const staying = engine.openConnection('mine');
    leaving.abort(new Error('gone'));
    await expect(started).rejects.toThrow('gone');
    release();
    expect((await staying.orThrow()).stored.connection['accessToken']).toBe('a1');
    expect(store.saves('mine')).toBe(1);
  });

  it('is saved even if all callers abort', async () => {
    const service = createService();
    const release = service.hold();
    const store = memoryStore({ mine: STORED });
    const engine = engineOf(service.transport, store);
    const leaving = new AbortController();
    const callers = [1, 2, 3].map(() => engine.openConnection('mine', { signal: leaving.signal }));
    leaving.abort(new Error('gone'));
    const outcomes = await Promise.allSettled(callers);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    release();
    await expect.poll(() => store.saves('mine')).toBe(1);
    expect((await store.get('mine'))?.connection['refreshToken']).toBe('r1');
  });

  it('is awaited when the engine is closed', async () => {
    const service = createService();
    const release = service.hold();
    const store = memoryStore({ mine: STORED });
    const engine = engineOf(service.transport, store);
    const leaving = new AbortController();
    const caller = engine.openConnection('mine', { signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(caller).rejects.toThrow('gone');
    const closed = engine.close();
    release();
    await closed;
    expect(store.saves('mine')).toBe(1);
  });

  it('does not start for an aborted caller', async () => {
    const service = createService();
    const engine = engineOf(service.transport, memoryStore({ mine: STORED }));
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(engine.module('read').run({ connection: 'mine', signal })).rejects.toThrow('gone');
    expect(service.refreshes()).toBe(0);
  });

  it('fails all waiting runs with InvalidAccessTokenError and saves nothing if it fails', async () => {
    const store = memoryStore({
      mine: { ...STORED, connection: { ...STORED.connection, refreshToken: 'void' } },
    });
    const engine = engineOf(createService().transport, store);
    const reports = await Promise.all(
      Array.from({ length: 10 }, () => engine.module('read').run({ connection: 'mine' })),
    );
    expect(reports.map(({ error }) => error?.type)).toEqual(Array(10).fill('InvalidAccessTokenError'));
    expect(reports.map(({ bundles }) => bundles)).toEqual(Array(10).fill(undefined));
    expect(store.saves('mine')).toBe(0);
  });

  it("runs inside the store's lock across processes", async () => {
    const service = createService();
    const inner = memoryStore({ mine: STORED });
    const order: string[] = [];
    const store: ConnectionStore = {
      get: async (name) => {
        order.push('get');
        return inner.get(name);
      },
      save: async (name, stored) => {
        order.push('save');
        await inner.save(name, stored);
      },
      exclusively: async (_name, work) => {
        order.push('lock');
        const result = await work();
        order.push('unlock');
        return result;
      },
    };
    await engineOf(service.transport, store).openConnection('mine');
    expect(order).toEqual(['lock', 'get', 'save', 'unlock']);
  });
});

describe('a connection opened by name', () => {
  const engine = engineOf(
    createService().transport,
    memoryStore({
      strange: { ...STORED, component: 'gone' },
      other: { ...STORED, component: 'other' },
      expired: { ...STORED, expires: new Date(NOW) },
      expiredText: { ...STORED, expires: '2024-05-01T00:00:00.000Z' },
      alive: { ...STORED, expires: new Date(NOW + 1) },
    }),
  );

  it.each([
    ['absent', 'InvalidConfigurationError', 'There is no connection "absent".'],
    ['strange', 'InvalidConfigurationError', 'was created for "gone", which the app does not have.'],
    ['other', 'InvalidConfigurationError', 'was created for "other": expected "oauth".'],
    ['expired', 'InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.'],
    ['expiredText', 'InvalidAccessTokenError', 'The connection has expired. It has to be authorized again.'],
  ])('%s: %s', async (name, type, message) => {
    const { error } = await engine.module('read').run({ connection: name });
    expect(error).toMatchObject({ type, message: expect.stringContaining(message) });
  });

  it('is valid until the moment it expires', async () => {
    const { error } = await engine.module('read').run({ connection: 'alive' });
    expect(error).toBeUndefined();
  });

  it('throws if the bundles are iterated', async () => {
    const run = engine.module('read').run({ connection: 'absent' });
    await expect(async () => {
      for await (const _bundle of run);
    }).rejects.toMatchObject({ type: 'InvalidConfigurationError' });
  });

  it.each<[string, Partial<ConnectionStore>, object]>([
    ['null', { get: async () => null as never }, { type: 'InvalidConfigurationError' }],
    ['a text', { get: async () => 'x' as never }, { code: 'USAGE' }],
    ['a connection without data', { get: async () => ({ component: 'oauth' }) as never }, { code: 'USAGE' }],
    ['nothing from its lock', { exclusively: async () => undefined as never }, { code: 'USAGE' }],
    ['its own error', { get: () => Promise.reject(new Error('down')) }, { message: 'down' }],
    ['its own error for saving', { save: () => Promise.reject(new Error('full')) }, { message: 'full' }],
  ])('fails if the store returns %s', async (_title, broken, expected) => {
    const connections = { ...memoryStore({ a: STORED }), ...broken };
    const { transport } = createService();
    await using engine = createEngine({
      app: APP,
      connections,
      http: { transport },
      clock: createVirtualClock(NOW),
    });
    await expect(engine.openConnection('a').orThrow()).rejects.toMatchObject(expected);
  });

  it('is unknown to an engine without a store', async () => {
    const { error } = await engineOf(createService().transport).module('open').run({ connection: 'mine' });
    expect(error).toMatchObject({ type: 'InvalidConfigurationError' });
  });
});
