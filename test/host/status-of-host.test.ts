import { expect, it, onTestFinished } from 'vitest';
import { createHost, createLocalQueue, type HostStore, openHostSqlite } from '../../src/host/index.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { newEvent, newScenario } from './new-rows.js';
import { eventually } from './open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

async function open({
  isSetUp,
  wrap = (store) => store,
  flows = flowsOf(() => SUCCESS),
}: {
  readonly isSetUp?: boolean;
  readonly wrap?: (store: HostStore) => HostStore;
  readonly flows?: ReturnType<typeof flowsOf>;
} = {}) {
  const store = wrap(await openHostSqlite({ file: ':memory:' }));
  const queue = createLocalQueue();
  const host = createHost({
    store,
    queue,
    isSetUp,
    receiver: receiveJson,
    flows,
    limits: { concurrency: 8 },
  });
  onTestFinished(() => host.stop(100));
  const ready = async (): Promise<number> => (await host.fetch(new Request('http://localhost/ready'))).status;
  return { host, store, ready };
}

it('is not ready before its scenarios are set up and its work started', async () => {
  const { host, ready } = await open({ isSetUp: false });
  expect(await ready()).toBe(503);
  await host.start();
  expect(await ready()).toBe(200);
});

it('starts although the database fails meanwhile, and keeps running', async () => {
  let failures = 0;
  const { host, ready } = await open({
    isSetUp: false,
    wrap: (store) => ({
      ...store,
      find: async (table, query) => {
        if (table === 'scenarios' && ++failures <= 3) {
          throw new StoreError('STORE_UNAVAILABLE', 'The database is unavailable.');
        }
        return store.find(table, query);
      },
    }),
  });
  await host.start();
  expect(failures).toBeGreaterThan(3);
  expect(await ready()).toBe(200);
});

it('is ready again as soon as a full disk has space', async () => {
  let isFull = false;
  const { host, ready } = await open({
    wrap: (store) => ({
      ...store,
      transaction: async (work, options) => {
        if (isFull) throw new StoreError('STORE_FULL', 'No space left for the database.');
        return store.transaction(work, options);
      },
    }),
  });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  const send = async (): Promise<number> =>
    (await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{}' }))).status;
  isFull = true;
  expect(await send()).toBe(503);
  expect((await host.health()).status).toBe('failing');
  isFull = false;
  expect(await send()).toBe(200);
  expect((await host.health()).status).toBe('ok');
  expect(await ready()).toBe(200);
});

it('does not count events that wait for a schedule as oldest waiting event', async () => {
  const { host, store } = await open();
  const receivedAtMs = Date.now() - 3_600_000;
  await store.transaction(async (writer) => {
    const definition = plan({ everyMs: 7_200_000 });
    await writer.insert('scenarios', newScenario({ name: 'hourly', hookId: 1, definition }));
    await writer.insert('events', newEvent({ hookId: 1, receivedAtMs }));
  });
  expect(await host.health()).toMatchObject({ events: { pending: 1 }, oldestPendingMs: null });
  await store.transaction(async (writer) => {
    await writer.insert('scenarios', newScenario({ name: 'instant', hookId: 2 }));
    await writer.insert('events', newEvent({ hookId: 2, receivedAtMs }));
  });
  expect((await host.health()).oldestPendingMs).toBeGreaterThanOrEqual(3_600_000);
});

it('names the scenarios that hold the concurrent runs', async () => {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { host } = await open({
    flows: flowsOf(async () => {
      await released;
      return SUCCESS;
    }),
  });
  const hook = await host.putHook({ name: 'slow', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 'slow', plan: plan(), hookId: hook.id, tenant: 'crm' });
  await host.start();
  for (let n = 0; n < 12; n++) {
    await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{}' }));
  }
  await eventually(async () => (await host.health()).slots.used >= 6);
  const { slots } = await host.health();
  expect(slots).toMatchObject({
    total: 8,
    holders: [{ scenario: 'slow', tenant: 'crm', slots: slots.used }],
  });
  const shown = await host.fetch(new Request('http://localhost/health?names'));
  expect(await shown.json()).toMatchObject({
    slots: { total: 8, used: slots.used },
    slotHolders: [{ scenario: 'slow' }],
  });
  release();
});

it.each([
  [{ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated', colour: 1 }, /putHook.*"colour"/],
  [{ name: 'h', app: 'a', webhook: 'w' }, /putHook.*"kind"/],
  [{ name: 'h', app: 'a', webhook: 'w', kind: 'other' }, /putHook.*kind/],
])('refuses a hook with an unknown, missing or invalid member: %j', async (hook, message) => {
  const { host } = await open();
  await expect(host.putHook(hook as Parameters<typeof host.putHook>[0])).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(message),
  });
});

it.each([
  [{ name: 's' }, /"plan" is missing/],
  [{ name: 's', plan: { ...plan(), colour: 1 } }, /"colour"/],
  [{ name: 's', plan: { ...plan(), settings: undefined } }, /"settings" is missing/],
  [{ name: 's', plan: { ...plan(), settings: { sequential: true } } }, /missing setting "scheduling"/],
  [{ name: 's', plan: { settings: plan().settings, ordered: false, answers: false } }, /"flow" is missing/],
  [{ name: 's', plan: plan(), colour: 1 }, /"colour"/],
])('refuses a scenario with an unknown, missing or invalid member: %j', async (scenario, message) => {
  const { host } = await open();
  await expect(
    host.scenarios.put(scenario as Parameters<typeof host.scenarios.put>[0]),
  ).rejects.toMatchObject({ code: 'USAGE', message: expect.stringMatching(message) });
});
