import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createHost, createScenarioFlows, type Host, type HostStore } from '../../src/host/index.js';
import { type Engine as AppEngine, type Clock, createEngine, defineApp } from '../../src/index.js';
import type { FlowStep } from '../../src/scenario/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { httpServer, readBody } from '../http/loopback.js';
import { describeEach, type Engine, eventually, openParts } from './open-parts.js';
import { dropTemplate } from './test-database.js';
import { plan, receiveJson } from './test-flows.js';

type ErrorHandler = NonNullable<FlowStep['onError']>;

afterAll(dropTemplate);

const ORDERS = ['asc', 'desc'] as const;

/** Advances by ten seconds at each call, so that a poll reports progress for each item. */
function hurryingClock(): Clock {
  let nowMs = 0;
  return {
    ...createVirtualClock(),
    now: () => {
      nowMs += 10_000;
      return nowMs;
    },
  };
}

/** An API that lists five items and accepts them one by one. */
class Service {
  readonly taken: number[] = [];
  /** The item whose request never ends. */
  hangs: number | undefined;
  /** Items that are refused as invalid. */
  readonly refused = new Set<number>();
  origin = '';

  async listen(order: (typeof ORDERS)[number]): Promise<void> {
    const items = [1, 2, 3, 4, 5].map((id) => ({ id }));
    const server = await httpServer(async (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET') {
        response.end(JSON.stringify(order === 'asc' ? items : items.toReversed()));
        return;
      }
      const n = Number(Reflect.get(Object(JSON.parse(await readBody(request))), 'n'));
      this.taken.push(n);
      if (this.hangs === n) return;
      response.statusCode = this.refused.has(n) ? 400 : 200;
      response.end('{}');
    });
    onTestFinished(() => server.close());
    this.origin = server.origin;
  }
}

/** @param wrapper output of a poll; it replaces all items, so none of it advances the trigger */
function defineCrm(origin: string, order: string, wrapper?: string): ReturnType<typeof defineApp> {
  const trigger = { type: 'id', id: '{{item.id}}', order };
  return defineApp({
    name: 'crm',
    base: { baseUrl: origin, response: { error: { type: 'DataError', message: 'wrong' } } },
    modules: {
      watch: {
        type: 'trigger',
        communication: {
          url: '/items',
          response: { iterate: '{{body}}', output: '{{item}}', ...(wrapper && { wrapper }), trigger },
        },
      },
      take: {
        type: 'action',
        communication: { url: '/take', method: 'POST', body: { n: '{{parameters.n}}' } },
        mappableParams: [{ name: 'n', type: 'number' }],
      },
    },
  });
}

interface Setup {
  readonly service: Service;
  readonly store: HostStore;
  /** Starts a separate host on the store. */
  readonly start: (onError?: ErrorHandler) => Promise<Host>;
}

function pollEvery(everyMs: number, onError?: ErrorHandler): ReturnType<typeof plan> {
  const take = {
    id: 2,
    app: 'crm',
    module: 'take',
    parameters: { n: '{{1.id}}' },
    ...(onError && { onError }),
  };
  const flow = { startsWithWebhook: false, steps: [{ id: 1, app: 'crm', module: 'watch' }, take] };
  return { ...plan({ everyMs }), flow };
}

/** An engine whose triggers without state start with all items. */
function startingWithAll(engine: AppEngine): AppEngine {
  return {
    ...engine,
    module: ((name: string) => {
      const module = engine.module(name);
      const { run } = module;
      const type = engine.app.modules.get(name)?.type;
      return {
        ...module,
        run: (input?: Parameters<typeof run>[0]) =>
          run(type === 'trigger' ? { start: 'all', ...input } : input),
      };
    }) as AppEngine['module'], // flows call modules without a type
  };
}

async function setUp(engine: Engine, order: (typeof ORDERS)[number], wrapper?: string): Promise<Setup> {
  const service = new Service();
  await service.listen(order);
  const parts = await openParts(engine);
  const hosts: Host[] = [];
  onTestFinished(async () => {
    for (const host of hosts) await host.stop(0);
    await parts.drop();
  });
  const app = defineCrm(service.origin, order, wrapper);
  const crm = startingWithAll(createEngine({ app, http: { allow: ['loopback'] } }));
  const start = async (onError?: ErrorHandler): Promise<Host> => {
    const flows = createScenarioFlows({ engines: { crm }, clock: hurryingClock() });
    const host = createHost({ store: parts.store, receiver: receiveJson, flows });
    hosts.push(host);
    await host.scenarios.put({ name: 'poll', plan: pollEvery(3_600_000, onError) });
    await host.start();
    return host;
  };
  return { service, store: parts.store, start };
}

const findPoll = (store: HostStore) => store.get('scenarios', { name: 'poll' });

describeEach('a poll that takes longer than its process lives', (engine) => {
  it.each(ORDERS)('continues after the processed items in any order of the remote API: %s', async (order) => {
    const { service, store, start } = await setUp(engine, order);
    service.hangs = 3;
    const host = await start();
    await eventually(() => service.taken.includes(3));
    // The state points to the item before the current one, and a process with progress does not count as crashed.
    expect(await findPoll(store)).toMatchObject({ triggerState: { lastId: 2 }, crashes: 1 });
    await host.stop(0);
    service.hangs = undefined;
    await start();
    await eventually(async () => (await findPoll(store))?.crashes === 0 && service.taken.includes(5));
    expect(service.taken).toEqual([1, 2, 3, 3, 4, 5]);
    expect((await findPoll(store))?.triggerState).toMatchObject({ lastId: 5 });
  });

  it('continues with the failed item, and stores items once', async () => {
    const { service, store, start } = await setUp(engine, 'asc');
    service.refused.add(2);
    service.hangs = 4;
    const host = await start({ kind: 'break', automatic: false });
    await eventually(() => service.taken.includes(4));
    expect(await store.find('incompletes')).toMatchObject([{ status: 'unresolved' }]);
    await host.stop(0);
    service.hangs = undefined;
    await start({ kind: 'break', automatic: false });
    await eventually(async () => (await findPoll(store))?.crashes === 0 && service.taken.includes(5));
    expect(service.taken).toEqual([1, 2, 3, 4, 4, 5]);
    expect(await store.count('incompletes')).toBe(1);
  });

  it('keeps the stored items of bundles that do not advance the trigger', async () => {
    const { service, store, start } = await setUp(engine, 'asc', '{{output}}');
    for (const item of [1, 2, 4]) service.refused.add(item);
    await start({ kind: 'break', automatic: false });
    await eventually(async () => (await findPoll(store))?.crashes === 0 && service.taken.includes(5));
    expect((await findPoll(store))?.triggerState).toMatchObject({ lastId: 5 });
    expect(await store.count('incompletes')).toBe(3);
  });

  it('repeats no processed item after a failure', async () => {
    const { service, store, start } = await setUp(engine, 'asc');
    service.refused.add(3);
    const host = await start();
    await eventually(async () => (await findPoll(store))?.lastError !== null);
    expect((await findPoll(store))?.triggerState).toMatchObject({ lastId: 2 });
    service.refused.clear();
    // A new interval takes effect at once.
    await host.scenarios.put({ name: 'poll', plan: pollEvery(1) });
    await eventually(() => service.taken.includes(5));
    expect(service.taken).toEqual([1, 2, 3, 3, 4, 5]);
  });
});
