import { createEngine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import { createEnginePool, type EnginePool } from '../../src/engine/pool/engine-pool.js';
import type { PoolApp } from '../../src/engine/pool/pool-app.js';
import type { Gauge } from '../gauge.js';
import type { Job } from '../job.js';
import { race } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';

/** The worker of the build in `dist`, because `bench/dist` has no bundles. */
const WORKER: URL = new URL('../../../../dist/node/pool-worker.js', import.meta.url);

const ITEMS = Array.from({ length: 64 }, (_, id) => ({
  id,
  name: `Name ${id}`,
  city: 'Praha',
  amount: id + 0.5,
}));
const OUTPUT = { id: '{{item.id}}', name: '{{item.name}}', city: '{{item.city}}', amount: '{{item.amount}}' };

function openPool(threads: number): EnginePool {
  return createEnginePool({ threads, worker: WORKER });
}

/** A run of 64 bundles that sends no request, in a pool and in process. */
export const POOL_RUN: Gauge = {
  name: 'J8 a run of 64 bundles in a pool, beyond the run in process and a clone of its bundles',
  floor: 500,
  target: 250,
  unit: 'us',
  run: async (effort) => {
    const source = {
      name: 'bench',
      modules: { list: { communication: { response: { iterate: '{{parameters.items}}', output: OUTPUT } } } },
    };
    const engine = createEngine({ app: defineApp(source) });
    const pool = openPool(2);
    try {
      const [local, remote] = [engine.module('list'), pool.app(source).module('list')];
      const input = { parameters: { items: ITEMS } };
      const contestants = [
        { name: 'in process', run: async () => (await local.run(input).orThrow()).bundles, isAsync: true },
        { name: 'pool', run: async () => (await remote.run(input).orThrow()).bundles, isAsync: true },
      ];
      await assertSameOutputs('pool', contestants, [undefined]);
      const cloned = await local.run(input).orThrow();
      const clone = { name: 'clone of the bundles', run: () => structuredClone(cloned.bundles) };
      const timings = await race([...contestants, clone], [undefined], effort);
      const [inProcess = 0, inPool = 0, copy = 0] = timings.map(({ bestNs }) => bestNs / 1000);
      return [
        { name: 'in process', value: inProcess, isOurs: false },
        { name: 'clone of the bundles', value: copy, isOurs: false },
        { name: 'pool', value: inPool, isOurs: false },
        { name: 'pool, beyond both', value: inPool - inProcess - copy, isOurs: true },
      ];
    } finally {
      await pool.close();
      await engine.close();
    }
  },
};

/** Calls in hand at a time, half of them for each app: an app holds at most one of two workers. */
const CALLS = 32;

/** Each call reads 1000 items and returns one bundle, so that computing outweighs the messages between threads. */
const SUMMARY = {
  output: {
    ids: "{{join(map(body, 'id'), ',')}}",
    total: "{{sum(map(body, 'amount'))}}",
    first: "{{first(sort(map(body, 'name'), 'desc'))}}",
    cities: "{{length(deduplicate(map(body, 'city')))}}",
  },
};

/** Webhook calls of two apps. The target is 1.6 times the calls per second of one thread. */
export const POOL_WEBHOOKS: Job = {
  name: 'J8 webhook calls of two apps with 1000 items, a pool of 2 beside one thread',
  floor: 0.9,
  target: 1 / 1.6,
  ours: 'pool of 2',
  run: async (effort) => {
    const sources = ['first', 'second'].map((name) => ({
      name,
      webhooks: { events: { communication: SUMMARY } },
    }));
    const engines = sources.map((source) => createEngine({ app: defineApp(source) }));
    const pool = openPool(2);
    const apps = sources.map((source) => pool.app(source));
    const items = Array.from({ length: 1000 }, (_, id) => ({ ...ITEMS[id % ITEMS.length], id }));
    const body = JSON.stringify(items);
    const headers = [['content-type', 'application/json']] as const;
    const callAll = async (targets: readonly Pick<PoolApp, 'webhook'>[]): Promise<unknown> => {
      const calls = Array.from({ length: CALLS / 2 }, () =>
        targets.map((app) =>
          app.webhook('events').handle({ method: 'POST', url: '/', headers, body: Buffer.from(body) }),
        ),
      );
      return (await Promise.all(calls.flat())).flatMap(({ bundles }) => bundles);
    };
    try {
      const contestants = [
        { name: 'one thread', run: () => callAll(engines), isAsync: true },
        { name: 'pool of 2', run: () => callAll(apps), isAsync: true },
      ];
      await assertSameOutputs('pool', contestants, [undefined]);
      return { races: [{ name: `${CALLS} calls`, timings: await race(contestants, [undefined], effort) }] };
    } finally {
      await pool.close();
      await Promise.all(engines.map((engine) => engine.close()));
    }
  },
};
