import { afterAll, expect, it, onTestFinished } from 'vitest';
import { createHost, createPostgresQueue, openHostPostgres } from '../../src/host/index.js';
import { startDroppingProxy } from './dropping-proxy.js';
import { eventually } from './open-parts.js';
import { createHostDatabase, dropTemplate, hasPostgres, POSTGRES_MISSING } from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

// `IML_FULL=1` runs the documented number of rounds.
const ROUNDS = process.env['IML_FULL'] === '1' ? 1000 : 40;
const MUTE_EVERY = 20;
const SEED = Number(process.env['IML_SEED'] ?? Date.now() % 1_000_000);

/** Mulberry32, a small seeded generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `continues after ${ROUNDS} lost database responses without a stall, an exit or a change of order (seed ${SEED})${POSTGRES_MISSING}`,
  { timeout: ROUNDS * 2000 + 120_000 },
  async () => {
    const rejections: unknown[] = [];
    const onRejection = (error: unknown): number => rejections.push(error);
    process.on('unhandledRejection', onRejection);
    const database = await createHostDatabase();
    const proxy = await startDroppingProxy(database.at, createRandom(SEED));
    const store = await openHostPostgres({ url: proxy.url, statementTimeoutMs: 1500 });
    const queue = await createPostgresQueue({ url: proxy.url, pollMs: 50 });
    const seen: number[] = [];
    const unordered = new Set<number>();
    const host = createHost({
      store,
      queue,
      receiver: receiveJson,
      flows: flowsOf(({ source, scenario }) => {
        const n = source.kind === 'event' ? Number(Reflect.get(Object(source.bundles[0]), 'n')) : 0;
        if (scenario.name === 'ordered') seen.push(n);
        else unordered.add(n);
        return SUCCESS;
      }),
    });
    onTestFinished(async () => {
      process.off('unhandledRejection', onRejection);
      await host.stop(1000);
      await store.close();
      await proxy.close();
      await database.drop();
    });
    const paths: string[] = [];
    for (const name of ['ordered', 'unordered']) {
      const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
      await host.scenarios.put({ name, plan: plan({ ordered: name === 'ordered' }), hookId: hook.id });
      paths.push(hook.path);
    }
    await host.start();
    const post = async (path: string, n: number): Promise<boolean> => {
      const request = new Request(`http://localhost${path}`, { method: 'POST', body: JSON.stringify({ n }) });
      return (await host.fetch(request)).status === 200;
    };
    const longest = { ms: 0 };
    for (let round = 1; round <= ROUNDS; round++) {
      if (round % MUTE_EVERY === 0) proxy.muteOne();
      else proxy.dropOne();
      for (const path of paths) await eventually(() => post(path, round));
      const sentMs = Date.now();
      await eventually(() => seen.includes(round) && unordered.has(round), 20_000);
      longest.ms = Math.max(longest.ms, Date.now() - sentMs);
    }
    await eventually(
      async () => (await store.count('events', { status: ['pending', 'running'] }).catch(() => 1)) === 0,
    );
    // A retried event may exist twice. No event precedes an earlier one.
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(rejections).toEqual([]);
    expect(proxy.dropped()).toBeGreaterThan(ROUNDS / 2);
    console.log(`${proxy.dropped()} answers lost, longest wait ${longest.ms} ms`);
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `takes further turns if the response to a fetch never arrives${POSTGRES_MISSING}`,
  async () => {
    const database = await createHostDatabase();
    const proxy = await startDroppingProxy(database.at, () => 0);
    const store = await openHostPostgres({ url: database.at });
    const queue = await createPostgresQueue({ url: proxy.url, pollMs: 50 });
    onTestFinished(async () => {
      await queue.stop();
      await queue.close();
      await store.close();
      await proxy.close();
      await database.drop();
    });
    const errors: unknown[] = [];
    const delivered: string[] = [];
    const add = (key: string): Promise<unknown> =>
      store.transaction((writer) =>
        queue.wake(writer, 'parallel', [{ key, tenant: 't' }], { isFresh: true }),
      );
    await queue.start(
      async (turn) => {
        await store.transaction((writer) => queue.end(writer, [turn], []));
        delivered.push(turn.key);
      },
      { concurrency: 2, onError: (error) => errors.push(error) },
    );
    await add('a');
    await eventually(() => delivered.includes('a'));
    // The queue polls, so its next fetch gets no response.
    proxy.muteOne();
    await eventually(() => proxy.dropped() === 1);
    await add('b');
    await eventually(() => delivered.includes('b'), 30_000);
    expect(errors.length).toBeGreaterThan(0);
  },
);
