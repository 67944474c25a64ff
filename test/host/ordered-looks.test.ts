import { expect, it, onTestFinished } from 'vitest';
import { createHost, type Host } from '../../src/host/create-host.js';
import { createStoreQueue } from '../../src/host/queue/store-queue.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';
import { eventually } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

/** How often a store was asked to hold a scenario, which is how work of it is looked at. */
function countLooks(store: HostStore): { readonly store: HostStore; readonly looks: () => number } {
  let looks = 0;
  const transaction: HostStore['transaction'] = (work, options) =>
    store.transaction(
      (writer) =>
        work({
          ...writer,
          lockFree: (table, where) => {
            if (table === 'scenarios') looks++;
            return writer.lockFree(table, where);
          },
          lockFreeBeside: (table, where, beside) => {
            if (table === 'scenarios') looks++;
            return writer.lockFreeBeside(table, where, beside);
          },
        }),
      options,
    );
  return { store: { ...store, transaction }, looks: () => looks };
}

async function open(
  run: () => Promise<void>,
  pollMs: number,
): Promise<{
  readonly host: Host;
  readonly looks: () => number;
  readonly post: (n: number) => Promise<number>;
}> {
  const { store, looks } = countLooks(createHostMemoryStore());
  const host = createHost({
    store,
    queue: createStoreQueue({ pollMs }),
    receiver: receiveJson,
    flows: flowsOf(async () => {
      await run();
      return SUCCESS;
    }),
  });
  onTestFinished(() => host.stop(100));
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan({ ordered: true }), hookId: hook.id });
  await host.start();
  const post = async (n: number): Promise<number> => {
    const body = JSON.stringify({ n });
    return (await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body }))).status;
  };
  return { host, looks, post };
}

const LONG_MS = 60_000;

it('looks at a scenario that keeps order once an event, whatever comes in while one is under way', async () => {
  const runs: (() => void)[] = [];
  const { looks, post } = await open(() => new Promise((resolve) => runs.push(resolve)), LONG_MS);
  expect(await post(0)).toBe(200);
  await eventually(() => runs.length === 1);
  const before = looks();
  for (let n = 1; n <= 20; n++) expect(await post(n)).toBe(200);
  expect(looks()).toBe(before);
  for (let n = 1; n <= 20; n++) {
    runs[n - 1]?.();
    await eventually(() => runs.length === n + 1);
  }
  // The transaction that settles one takes the next.
  expect(looks() - before).toBe(20);
  runs[20]?.();
});

it('goes on with a queue whose run has come to nothing', async () => {
  let runs = 0;
  const { host, post } = await open(async () => {
    runs++;
    if (runs === 1) throw new Error('A defect.');
  }, LONG_MS);
  expect(await post(1)).toBe(200);
  expect(await post(2)).toBe(200);
  await eventually(async () => (await host.events.list({ status: ['done', 'dead'] })).length === 2);
  expect(await post(3)).toBe(200);
  await eventually(() => runs === 3);
});

it('looks again every so often, though a run that it knows of has not ended', async () => {
  let end = (): void => {};
  const { looks, post } = await open(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
    20,
  );
  onTestFinished(() => end());
  expect(await post(1)).toBe(200);
  expect(await post(2)).toBe(200);
  const before = looks();
  await eventually(() => looks() > before + 2);
});

it('takes what is first of many hooks in one statement', async () => {
  const store = createHostMemoryStore();
  const taken: number[] = [];
  const transaction: HostStore['transaction'] = (work, options) =>
    store.transaction(
      (writer) =>
        work({
          ...writer,
          updateAndRead: async (table, where, change, options) => {
            const rows = await writer.updateAndRead(table, where, change, options);
            if (table === 'events') taken.push(rows.length);
            return rows;
          },
        }),
      options,
    );
  const runs: number[] = [];
  const flows = flowsOf(({ scenario }) => {
    runs.push(scenario.id);
    return SUCCESS;
  });
  const host = createHost({ store: { ...store, transaction }, receiver: receiveJson, flows });
  onTestFinished(() => host.stop(100));
  for (let n = 0; n < 12; n++) {
    const hook = await host.putHook({ name: `h${n}`, app: 'a', webhook: 'w', kind: 'dedicated' });
    await host.scenarios.put({ name: `s${n}`, plan: plan({ ordered: true }), hookId: hook.id });
    await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{"n":1}' }));
  }
  await host.start();
  await eventually(() => runs.length === 12);
  expect(taken).toEqual([12]);
  const events = await store.find('events');
  const scenarios = await store.find('scenarios');
  expect(events.map(({ scenarioId }) => scenarioId)).toEqual(scenarios.map(({ id }) => id));
});
