import { expect, it, onTestFinished } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createLocalQueue,
  createScenarioFlows,
  openHostSqlite,
} from '../../src/host/index.js';
import { collectScenarioSecrets } from '../../src/host/scenarios/scenario-secrets.js';
import { setUpScenario } from '../../src/host/set-up.js';
import { fromStored, isSameStored, toStored } from '../../src/host/store/stored-value.js';
import { createEngine, defineApp } from '../../src/index.js';
import type { FlowReport } from '../../src/scenario/index.js';
import { JsonText } from '../../src/shared/store/table.js';
import { eventually, openParts } from './open-parts.js';
import { flowsOf, receiveJson, SUCCESS } from './test-flows.js';

type ScenarioEntry = Parameters<typeof setUpScenario>[1];

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const members = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(list(count, (index) => [`n${index}`, make(index)]));

const APP = defineApp({
  name: 'crm',
  webhooks: { calls: { type: 'web', communication: { output: '{{body}}' } } },
  modules: {
    items: {
      type: 'search',
      communication: { response: { iterate: '{{parameters.items}}', output: '{{item}}' } },
    },
    wide: {
      type: 'action',
      communication: { response: { output: { ok: true } } },
      mappableParams: list(5000, (index) => ({ name: `n${index}`, type: 'text', label: `Field ${index}` })),
    },
    fails: { type: 'action', communication: { url: 'http://127.0.0.1:1/' } },
  },
});

type Module = ScenarioEntry['modules'][number];

const step = (id: number, module: string, more: Partial<Module> = {}): Module => ({
  id,
  app: 'crm',
  module,
  ...more,
});

function entryOf(modules: readonly Module[], more: Partial<ScenarioEntry> = {}): ScenarioEntry {
  return {
    name: 's',
    webhook: { app: 'crm', webhook: 'calls', connection: undefined, uid: undefined, parameters: {} },
    everyMinutes: undefined,
    ordered: false,
    settings: {},
    modules,
    ...more,
  };
}

async function setUp() {
  const engines = { crm: createEngine({ app: APP }) };
  const store = await openHostSqlite({ file: ':memory:' });
  const reports: FlowReport[] = [];
  const host = createHost({
    store,
    queue: createLocalQueue(),
    receiver: createEngineReceiver({ engines }),
    flows: createScenarioFlows({ engines, onReport: (_, report) => reports.push(report) }),
  });
  onTestFinished(() => host.stop(1000));
  const add = (entry: ScenarioEntry) => setUpScenario({ host, store, engines }, entry);
  const send = async (path: string, body: unknown): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await host.fetch(new Request(`http://localhost${path}`, init))).status;
  };
  return { host, store, reports, add, send };
}

it('reads the form of a module once, regardless of how many steps use it', async () => {
  const { host, reports, add, send } = await setUp();
  const before = process.memoryUsage().heapUsed;
  const steps = list(200, (index) => step(index + 2, 'wide', { parameters: { n1: '{{1.a}}' } }));
  const { hook } = await add(entryOf(steps));
  await host.start();
  expect(await send(hook?.path ?? '', { a: 1 })).toBe(200);
  await eventually(() => reports.length > 0);
  expect(reports[0]).toMatchObject({ ok: true, operations: 201 });
  // A form of 5000 fields takes some 5 MB.
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(400);
});

it('prepares a flow again after its missing app is available', async () => {
  const engines: Record<string, ReturnType<typeof createEngine>> = {};
  const flows = createScenarioFlows({ engines });
  const { store, add } = await setUp();
  await add(
    entryOf([step(1, 'items', { parameters: { items: [{ id: 1 }] } })], {
      webhook: undefined,
      everyMinutes: 15,
    }),
  );
  const scenario = await store.get('scenarios', { name: 's' });
  if (scenario === undefined) throw new Error('The scenario is not stored.');
  const { signal } = new AbortController();
  const run = () => flows.run({ scenario, source: { kind: 'poll' }, room: 0, signal });
  await expect(run()).rejects.toMatchObject({ code: 'HOST_MISSING' });
  engines['crm'] = createEngine({ app: APP });
  expect(await run()).toMatchObject({ outcome: { kind: 'success' } });
});

it('refuses a scenario that is too large or has too many modules, and stores nothing', async () => {
  const { store, add } = await setUp();
  const parameters = members(20_000, () => 'x'.repeat(40));
  await expect(add(entryOf([step(2, 'items', { parameters })]))).rejects.toMatchObject({
    code: 'HOST_REFUSED',
  });
  const many = (count: number): Module[] => list(count, (index) => step(index + 2, 'items'));
  await expect(add(entryOf(many(1000)))).rejects.toMatchObject({
    code: 'HOST_REFUSED',
    message: 'The scenario "s" has 1000 modules: it may have 999.',
  });
  expect(await store.count('hooks')).toBe(0);
  expect(await store.count('scenarios')).toBe(0);
  await add(entryOf(many(999)));
});

it('refuses large hook parameters, which each call would read', async () => {
  const { add } = await setUp();
  const webhook = { app: 'crm', webhook: 'calls', connection: undefined, uid: undefined };
  await expect(
    add(entryOf([], { webhook: { ...webhook, parameters: { text: 'x'.repeat(300_000) } } })),
  ).rejects.toMatchObject({ code: 'HOST_REFUSED' });
});

it.each(['memory', 'sqlite'] as const)(
  'passes large hook data to its calls unchanged: %s',
  async (engine) => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const large = members(4000, (index) => `text of some length ${index}`);
    const given: unknown[] = [];
    const host = createHost({
      store,
      queue: createLocalQueue(),
      receiver: async ({ parameters, stored }) => {
        given.push(parameters, stored);
        return { ok: true, response: new Response('ok'), bundles: [], deliveries: undefined };
      },
      flows: createScenarioFlows({ engines: {} }),
    });
    onTestFinished(() => host.stop(1000));
    const hook = await host.putHook({
      name: 'h',
      app: 'crm',
      webhook: 'calls',
      kind: 'dedicated',
      parameters: large,
    });
    const data = toStored({ ...large, at: new Date(0) });
    expect(data).toBeInstanceOf(JsonText);
    await store.transaction((writer) =>
      writer.update('hooks', { id: hook.id }, { data, attachedWith: large }),
    );
    const response = await host.fetch(
      new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{}' }),
    );
    expect(response.status).toBe(200);
    expect(given[0]).toEqual(large);
    expect(given[1]).toMatchObject({ ...large, at: new Date(0), id: hook.id });
  },
);

it('stores 32 MB of incomplete executions of one run, and then reports that the limit is reached', async () => {
  const { host, store, reports, add, send } = await setUp();
  const { hook } = await add(
    entryOf(
      [
        step(2, 'items', { parameters: { items: '{{1.items}}' } }),
        step(3, 'fails', { onError: { kind: 'break' } }),
      ],
      { settings: { storeIncomplete: true } },
    ),
  );
  await host.start();
  const text = 'x'.repeat(2_000_000);
  expect(await send(hook?.path ?? '', { text, items: list(30, (n) => ({ n })) })).toBe(200);
  await eventually(() => reports.length > 0);
  // The execution that exceeds the limit is still stored.
  expect(reports[0]?.incomplete).toHaveLength(17);
  expect(reports[0]?.outcome).toMatchObject({ kind: 'error', isStorageFull: true });
  await eventually(async () => (await store.count('incompletes')) === 17);
});

it('refuses to store an incomplete execution of more than 10 MB', async () => {
  const { host, store, reports, add, send } = await setUp();
  const { hook } = await add(
    entryOf(
      [
        step(2, 'items', { parameters: { items: [{ text: '{{1.text}}{{1.text}}{{1.text}}' }] } }),
        step(3, 'fails', { onError: { kind: 'break' } }),
      ],
      { settings: { storeIncomplete: true } },
    ),
  );
  await host.start();
  const path = hook?.path ?? '';
  expect(await send(path, { text: 'x'.repeat(2_000_000) })).toBe(200);
  await eventually(async () => (await store.count('incompletes')) === 1);
  expect(await send(path, { text: 'x'.repeat(3_000_000) })).toBe(200);
  await eventually(() => reports.length > 1);
  expect(reports[1]?.outcome).toMatchObject({ kind: 'error', isStorageFull: true });
  expect(await store.count('incompletes')).toBe(1);
});

it('stores a large trigger state as text, and compares it with a new state', async () => {
  const state = { ids: list(20_000, (index) => `identifier ${index}`) };
  const kept = toStored(state);
  expect(kept).toBeInstanceOf(JsonText);
  expect(fromStored(kept)).toEqual(state);
  expect(isSameStored(kept, toStored({ ...state }))).toBe(true);
  expect(isSameStored(kept, toStored({ ids: [...state.ids, 'one more'] }))).toBe(false);
  expect(isSameStored({ a: 1 }, { a: 1 })).toBe(true);
  expect(isSameStored(kept, { a: 1 })).toBe(false);
});

it('collects the secrets of many connections, up to a limit', async () => {
  const connections = list(300, (index) => `c${index}`);
  const secrets = await collectScenarioSecrets({
    hooks: [],
    flows: [{ steps: connections.map((connection, index) => ({ id: index + 1, app: 'crm', connection })) }],
    findConnectionSecrets: async ({ connection }) => list(1000, (index) => `${connection} secret ${index}`),
  });
  expect(secrets.length).toBeGreaterThan(5000);
  expect(secrets.length).toBeLessThan(20_000);
});

it('stores a call for many members as a whole up to 16 MB, or refuses it', async () => {
  const parts = await openParts('memory');
  const host = createHost({
    store: parts.store,
    queue: parts.queue,
    receiver: receiveJson,
    flows: flowsOf(() => SUCCESS),
  });
  onTestFinished(async () => {
    await host.stop(1000);
    await parts.drop();
  });
  const hooks = await Promise.all(
    list(200, (index) =>
      host.putHook({
        name: `m${index}`,
        app: 'a',
        webhook: 'w',
        kind: 'member',
        uid: index < 20 ? '1' : '2',
      }),
    ),
  );
  const send = async (to: string): Promise<number> => {
    const body = JSON.stringify({ to, text: 'x'.repeat(100_000) });
    const address = `http://localhost${hooks[0]?.path}`;
    return (await host.fetch(new Request(address, { method: 'POST', body }))).status;
  };
  expect(await send('2')).toBe(413);
  expect(await host.events.list()).toHaveLength(0);
  expect(await send('1')).toBe(200);
  expect(await host.events.list()).toHaveLength(20);
});
