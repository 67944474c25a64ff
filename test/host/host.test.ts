import { afterAll, afterEach, expect, it } from 'vitest';
import {
  createHost,
  type FlowOutcome,
  type FlowRequest,
  type Host,
  type HostOptions,
  type HostStore,
} from '../../src/host/index.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { describeEach, type Engine, eventually, openParts, type Parts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { failure, flowsOf, type PlanWanted, plan, receiveJson, SUCCESS } from './test-flows.js';

const cleanups: (() => Promise<void>)[] = [];

afterAll(dropTemplate);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Setup {
  readonly host: Host;
  readonly parts: Parts;
  readonly errors: unknown[];
  readonly post: (body: unknown, path?: string) => Promise<Response>;
  readonly path: string;
}

async function setUp(
  engine: Engine,
  run: (request: FlowRequest) => Promise<FlowOutcome> | FlowOutcome,
  wanted: PlanWanted & { readonly limits?: HostOptions['limits'] } = {},
): Promise<Setup> {
  const parts = await openParts(engine);
  const errors: unknown[] = [];
  const host = createHost({
    store: parts.store,
    queue: parts.queue,
    flows: flowsOf(run),
    receiver: receiveJson,
    limits: wanted.limits,
    observer: (notice) => notice.kind === 'problem' && errors.push(notice.error),
  });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan(wanted), hookId: hook.id });
  cleanups.push(async () => {
    await host.stop(1000);
    await parts.drop();
  });
  const post = (body: unknown, path = hook.path): Promise<Response> =>
    host.fetch(new Request(`http://localhost${path}`, { method: 'POST', body: JSON.stringify(body) }));
  return { host, parts, errors, post, path: hook.path };
}

const numbersOf = (request: FlowRequest): number[] =>
  request.source.kind === 'event'
    ? request.source.bundles.map((bundle) => Reflect.get(Object(bundle), 'n'))
    : [];

describeEach('a host', (engine) => {
  it('processes every accepted event, in order for an ordered hook', async () => {
    const seen: number[] = [];
    const { host, post, errors } = await setUp(
      engine,
      async (request) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        seen.push(...numbersOf(request));
        return SUCCESS;
      },
      { ordered: true },
    );
    await host.start();
    const wanted = Array.from({ length: 40 }, (_, n) => n);
    for (const n of wanted) expect((await post({ n })).status).toBe(200);
    await eventually(() => seen.length >= wanted.length);
    expect(seen).toEqual(wanted);
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 40);
    expect(errors).toEqual([]);
  });

  it('processes events of a hook in parallel by default', async () => {
    let started = 0;
    let done = 0;
    const { host, post } = await setUp(engine, async () => {
      started++;
      // Sequential processing would hang here.
      await eventually(() => started > 1);
      done++;
      return SUCCESS;
    });
    await host.start();
    await Promise.all(Array.from({ length: 6 }, (_, n) => post({ n })));
    await eventually(() => done === 6);
  });

  it('responds with 429 and stores nothing once the queue of a hook is full', async () => {
    const { host, post } = await setUp(engine, () => SUCCESS, { limits: { maxQueued: 3 } });
    const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => post({ n })));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 429, 429]);
    expect(answers.find((answer) => answer.status === 429)?.headers.get('retry-after')).toBe('60');
    expect(await host.events.list()).toHaveLength(3);
    await host.start();
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 3);
    expect((await post({ n: 9 })).status).toBe(200);
  });

  it('stores a payload that cannot be parsed for inspection', async () => {
    const { host, post } = await setUp(engine, () => SUCCESS);
    expect((await post({ reject: true })).status).toBe(400);
    const [listed] = await host.events.list({ status: ['rejected'] });
    const event = await host.events.get(listed?.id ?? 0);
    expect(event).toMatchObject({ status: 'rejected', error: { phase: 'payload', message: 'unreadable' } });
    expect(event.request).toMatchObject({ text: '{"reject":true}' });
    await expect(host.events.replay(event.id)).rejects.toMatchObject({ code: 'HOST_REFUSED' });
  });

  it('resumes at once when a suspended scenario is enabled', async () => {
    let runs = 0;
    const { host, post } = await setUp(engine, () => (++runs === 1 ? failure('RateLimitError') : SUCCESS));
    await host.start();
    await post({ n: 1 });
    const isSuspended = async (): Promise<boolean> =>
      Reflect.get(Object((await host.scenarios.get('s')).state), 'kind') === 'delayed';
    await eventually(isSuspended);
    expect(await host.scenarios.activate('s')).toMatchObject({ state: { kind: 'active' } });
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 1);
    expect(runs).toBe(2);
  });

  it('moves an event that keeps failing to the dead letters, and replays it on request', async () => {
    let fails = true;
    const { host, post } = await setUp(engine, () => (fails ? failure('RuntimeError') : SUCCESS));
    await host.start();
    await post({ n: 1 });
    await eventually(async () => (await host.events.list({ status: ['dead'] })).length === 1);
    const [dead] = await host.events.list({ status: ['dead'] });
    expect(dead).toMatchObject({ error: { name: 'RuntimeError', message: 'It failed.' } });
    expect(await host.scenarios.get('s')).toMatchObject({ state: { kind: 'active', errors: 1 } });
    fails = false;
    await host.events.replay(dead?.id ?? 0);
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 1);
    expect(await host.scenarios.get('s')).toMatchObject({ state: { kind: 'active', errors: 0 } });
  });

  it('keeps events of a disabled scenario until it is enabled', async () => {
    const seen: number[] = [];
    const { host, post } = await setUp(engine, (request) => {
      seen.push(...numbersOf(request));
      return SUCCESS;
    });
    await host.start();
    await host.scenarios.deactivate('s');
    await post({ n: 1 });
    await post({ n: 2 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(seen).toEqual([]);
    await host.scenarios.activate('s');
    await eventually(() => seen.length === 2);
    expect(seen.sort()).toEqual([1, 2]);
  });

  it('starts no run early in a suspended scenario', async () => {
    const starts: number[] = [];
    const { host, post } = await setUp(
      engine,
      () => {
        starts.push(Date.now());
        return starts.length > 1
          ? SUCCESS
          : {
              ...failure('RateLimitError'),
              outcome: { kind: 'error', type: 'RateLimitError', delayMs: 1500 },
            };
      },
      { ordered: true },
    );
    await host.start();
    await post({ n: 1 });
    await eventually(() => starts.length === 1);
    for (let n = 2; n < 6; n++) await post({ n });
    await eventually(() => starts.length === 6);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(1500);
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 5);
  });

  it('keeps the order if responses to commits are lost', async () => {
    const parts = await openParts(engine);
    let commits = 0;
    const store: HostStore = {
      ...parts.store,
      transaction: async (work, options) => {
        const result = await parts.store.transaction(work, options);
        if (++commits % 2 === 0) throw new StoreError('STORE_UNAVAILABLE', 'The response was lost.');
        return result;
      },
    };
    const seen: number[] = [];
    const flows = flowsOf((request) => {
      seen.push(...numbersOf(request));
      return SUCCESS;
    });
    const accepting = createHost({ store: parts.store, queue: parts.queue, flows, receiver: receiveJson });
    const host = createHost({ store, queue: parts.queue, flows, receiver: receiveJson });
    cleanups.push(async () => {
      await host.stop(1000);
      await parts.drop();
    });
    const hook = await accepting.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
    await accepting.scenarios.put({ name: 's', plan: plan({ ordered: true }), hookId: hook.id });
    const wanted = Array.from({ length: 60 }, (_, n) => n);
    for (const n of wanted) {
      const init = { method: 'POST', body: JSON.stringify({ n }) };
      await accepting.fetch(new Request(`http://localhost${hook.path}`, init));
    }
    await host.start();
    await eventually(async () => (await parts.store.count('events', { status: 'done' })) === wanted.length);
    expect(seen.filter((n, index) => seen.indexOf(n) === index)).toEqual(wanted);
  });

  it('starts no further event of a turn after one that suspends the scenario', async () => {
    let runs = 0;
    const { host, post } = await setUp(
      engine,
      async () => {
        const isLimited = ++runs > 40;
        await new Promise((resolve) => setImmediate(resolve));
        return isLimited ? failure('RateLimitError') : SUCCESS;
      },
      { limits: { concurrency: 8 } },
    );
    await Promise.all(Array.from({ length: 120 }, (_, n) => post({ n })));
    await host.start();
    await eventually(async () => (await host.events.list({ status: ['done'], limit: 200 })).length === 40);
    const isSuspended = async (): Promise<boolean> =>
      Reflect.get(Object((await host.scenarios.get('s')).state), 'kind') === 'delayed';
    await eventually(isSuspended);
    await eventually(async () => (await host.events.list({ status: ['running'] })).length === 0);
    expect(runs).toBeLessThanOrEqual(48);
    const waiting = await host.events.list({ status: ['pending'], limit: 200 });
    expect(waiting).toHaveLength(80);
    // An event that has not started counts no attempt.
    expect(waiting.filter(({ attempts }) => attempts > 0)).toHaveLength(runs - 40);
  });

  it('commits the state of a polling trigger together with the results of its items', async () => {
    const states: unknown[] = [];
    const parts = await openParts(engine);
    let fails = true;
    const host = createHost({
      store: parts.store,
      queue: parts.queue,
      receiver: receiveJson,
      flows: flowsOf(({ scenario }) => {
        states.push(scenario.triggerState);
        const triggerState = { last: states.length };
        if (!fails) return { ...SUCCESS, triggerState };
        fails = false;
        return { ...failure('RuntimeError'), triggerState };
      }),
    });
    cleanups.push(async () => {
      await host.stop(1000);
      await parts.drop();
    });
    await host.start();
    await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 100 }) });
    await eventually(() => states.length >= 3);
    expect(states.slice(0, 3)).toEqual([null, null, { last: 2 }]);
  });

  it('processes waiting events of a scheduled scenario at its next time', async () => {
    const seen: number[] = [];
    const earlyMs: number[] = [];
    const { host, post } = await setUp(
      engine,
      (request) => {
        earlyMs.push((request.scenario.nextRunMs ?? 0) - Date.now());
        seen.push(...numbersOf(request));
        return SUCCESS;
      },
      { everyMs: 400 },
    );
    for (const n of [1, 2, 3]) await post({ n });
    await host.start();
    await eventually(() => seen.length === 3);
    await post({ n: 4 });
    await eventually(() => seen.length === 4);
    expect(seen).toEqual([1, 2, 3, 4]);
    // Not at their arrival, but at the time of the next run.
    expect(Math.max(...earlyMs)).toBeLessThanOrEqual(0);
  });

  it('retries incomplete executions, and holds a sequential scenario until they are resolved', async () => {
    const seen: string[] = [];
    const { host, post } = await setUp(
      engine,
      ({ source }) => {
        seen.push(source.kind);
        if (source.kind === 'incomplete' || seen.length > 1) return SUCCESS;
        const stored = { resolution: 'automatic', attempt: 1, atMs: Date.now() + 700 } as const;
        return {
          ...SUCCESS,
          outcome: { kind: 'warning' },
          incompletes: [{ execution: { at: 2 }, error: null, stored }],
        };
      },
      { settings: { sequential: true, storeIncomplete: true } },
    );
    await host.start();
    await post({ n: 1 });
    await eventually(() => seen.length === 1);
    await post({ n: 2 });
    await eventually(() => seen.length === 3);
    expect(seen).toEqual(['event', 'incomplete', 'event']);
    expect(await host.scenarios.incompletes('s')).toEqual([]);
  });

  it('delivers the events of a shared webhook to the right members', async () => {
    const parts = await openParts(engine);
    const seen: string[] = [];
    const host = createHost({
      store: parts.store,
      queue: parts.queue,
      receiver: receiveJson,
      flows: flowsOf(({ scenario }) => {
        seen.push(scenario.name);
        return SUCCESS;
      }),
    });
    cleanups.push(async () => {
      await host.stop(1000);
      await parts.drop();
    });
    await host.start();
    const member = (name: string, uid: string) =>
      host.putHook({ name, app: 'a', webhook: 'w', kind: 'member', uid });
    const [ann, bob, ann2] = [await member('ann', '1'), await member('bob', '2'), await member('ann2', '1')];
    expect(new Set([ann.path, bob.path, ann2.path]).size).toBe(1);
    for (const hook of [ann, bob, ann2]) {
      await host.scenarios.put({ name: hook.name, plan: plan(), hookId: hook.id });
    }
    const send = (to: string) =>
      host.fetch(
        new Request(`http://localhost${ann.path}`, { method: 'POST', body: JSON.stringify({ to }) }),
      );
    expect((await send('1')).status).toBe(200);
    expect((await send('nobody')).status).toBe(200);
    await eventually(() => seen.length === 2);
    expect(seen.sort()).toEqual(['ann', 'ann2']);
    expect(await host.events.list()).toHaveLength(2);
  });

  it('sends the response of a responder of the scenario', async () => {
    const { host, post } = await setUp(
      engine,
      ({ onAnswer }) => {
        onAnswer?.(new Response('from the flow', { status: 201 }));
        return SUCCESS;
      },
      { answers: true },
    );
    await host.start();
    const answer = await post({ n: 1 });
    expect([answer.status, await answer.text()]).toEqual([201, 'from the flow']);
  });

  it('uses hook addresses that cannot be guessed, and reports unknown ones', async () => {
    const { host, path } = await setUp(engine, () => SUCCESS);
    expect(path).toMatch(/^\/hooks\/[A-Za-z0-9_-]{32}$/);
    const status = async (at: string) => (await host.fetch(new Request(`http://localhost${at}`))).status;
    expect(await status(`/hooks/${'x'.repeat(32)}`)).toBe(404);
    expect(await status('/')).toBe(404);
    const health = await host.fetch(new Request('http://localhost/health'));
    expect([health.status, await health.json()]).toMatchObject([
      200,
      { status: 'ok', events: { pending: 0 } },
    ]);
  });
});

it('sandboxes the responses of webhooks in browsers and refuses service workers', async () => {
  const parts = await openParts('memory');
  const host = createHost({
    store: parts.store,
    queue: parts.queue,
    flows: flowsOf(() => SUCCESS),
    receiver: async () => ({
      ok: true,
      response: new Response('<script>alert(1)</script>', {
        headers: {
          'content-type': 'text/html',
          'service-worker-allowed': '/',
          'content-security-policy': "default-src 'none'",
        },
      }),
      bundles: [],
      deliveries: undefined,
    }),
  });
  cleanups.push(async () => {
    await host.stop(0);
    await parts.drop();
  });
  const { path } = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  const { headers } = await host.fetch(new Request(`http://localhost${path}`));
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("default-src 'none', sandbox");
  expect(headers.get('service-worker-allowed')).toBeNull();
  const script = new Request(`http://localhost${path}`, { headers: { 'service-worker': 'script' } });
  expect((await host.fetch(script)).status).toBe(403);
});
