import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createHost,
  createLocalQueue,
  createPoolFlows,
  createPoolReceiver,
  type Host,
  type HostNotice,
  openHostSqlite,
  openPoolApps,
} from '../../src/host/index.js';
import { setUpScenario } from '../../src/host/set-up.js';
import {
  type AppDefinition,
  createEnginePool,
  type EnginePool,
  type StoredConnection,
  TerminatedError,
  type TerminationCause,
} from '../../src/index.js';
import { NO_SPAN, type Tracing } from '../../src/shared/tracing.js';
import { buildWorkers, WORKER_MODULES } from '../pool/build-workers.js';
import { eventually } from './open-parts.js';

type PoolFlowsOptions = Parameters<typeof createPoolFlows>[0];
type ScenarioEntry = Parameters<typeof setUpScenario>[1];

let worker: URL;
let module: URL;
let setup: string;
const folder = mkdtempSync(path.join(import.meta.dirname, '../../node_modules/.pool-ports-'));
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const urlOf = await buildWorkers({ ...WORKER_MODULES, host: 'src/host/host-worker.ts' });
  worker = urlOf('pool-worker');
  module = urlOf('host');
  setup = path.join(folder, 'setup.mjs');
  // Echoes the request, and fails at /fail.
  writeFileSync(
    setup,
    `export default () => ({
      http: { transport: async ({ url, headers }) => ({
        status: url.endsWith('/fail') ? 500 : 200,
        headers: { 'content-type': 'application/json' },
        body: new TextEncoder().encode(JSON.stringify({ url, key: new Headers(headers).get('x-key'), items: [{ id: 1 }, { id: 2 }, { id: 3 }] })),
        url,
      }) },
    });`,
  );
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CRM: AppDefinition = {
  name: 'crm',
  base: { baseUrl: 'https://api.example.com' },
  connections: { key: { type: 'basic', communication: {} } },
  webhooks: {
    event: { communication: { output: '{{body}}' } },
    endless: { communication: { output: '{{endless()}}' } },
    shared: { type: 'web-shared', communication: { uid: '{{body.user}}', output: '{{body}}' } },
    attached: {
      communication: { output: '{{body}}' },
      attach: { url: '/attach', response: { data: { id: '{{body.url}}' } } },
    },
  },
  functions: { endless: { code: 'function endless() { for (;;) {} }' } },
  modules: {
    echo: { communication: { url: '/echo', response: { output: { text: '{{parameters.text}}' } } } },
    keyed: {
      connection: 'key',
      communication: {
        url: '/keyed',
        headers: { 'x-key': '{{connection.key}}' },
        response: { output: { key: '{{body.key}}' } },
      },
    },
    fail: { communication: { url: '/fail' } },
    hang: { communication: { url: '/x', response: { output: '{{endless()}}' } } },
    answer: {
      type: 'responder',
      communication: { response: { status: 201, body: 'hello {{parameters.name}}' } },
    },
    watch: {
      type: 'trigger',
      communication: {
        url: '/watch',
        response: {
          iterate: '{{body.items}}',
          output: '{{item}}',
          trigger: { id: '{{item.id}}', type: 'id', order: 'asc' },
        },
      },
      epoch: {},
    },
  },
};

const OTHER: AppDefinition = {
  name: 'other',
  webhooks: { event: { communication: { output: '{{body}}' } } },
};

const connection = (key: string): StoredConnection => ({
  component: 'key',
  connection: { key },
  parameters: {},
  metadata: undefined,
  uid: undefined,
  expires: undefined,
  oauth: undefined,
  common: undefined,
});

/** Why the next task of a name ends, `after` its work or before. */
interface Termination {
  readonly task: string;
  readonly causedBy: TerminationCause;
  readonly after?: boolean;
}

/** A pool whose workers are terminated as planned, and the names of its tasks. */
function terminateTasks(
  pool: EnginePool,
  planned: readonly Termination[],
): { readonly pool: EnginePool; readonly tasks: readonly string[] } {
  const left = [...planned];
  const tasks: string[] = [];
  const run: EnginePool['run'] = async (task) => {
    tasks.push(task.name);
    const at = left.findIndex((next) => next.task === task.name);
    const [ended] = at < 0 ? [] : left.splice(at, 1);
    if (ended === undefined || ended.after === true) {
      const result = await pool.run(task);
      if (ended === undefined) return result;
    }
    throw new TerminatedError('The worker was terminated.', ended.causedBy);
  };
  return { pool: { ...pool, run }, tasks };
}

async function open(
  options: Partial<PoolFlowsOptions> & {
    readonly timeoutMs?: number;
    readonly webhookTimeoutMs?: number;
    readonly terminated?: readonly Termination[];
  } = {},
) {
  const { timeoutMs = 20_000, webhookTimeoutMs = 20_000, tracing, terminated = [], ...flows } = options;
  const { connectionNames } = flows;
  const own = createEnginePool({
    worker,
    setup,
    threads: 2,
    runTimeoutMs: timeoutMs,
    connections: (app) => {
      const name = typeof app === 'string' ? app : app.name;
      return {
        get: async (key) =>
          (await connectionNames?.(name))?.includes(key) === false ? undefined : connection(`${name} ${key}`),
        save: async () => {},
      };
    },
  });
  const { pool, tasks } = terminateTasks(own, terminated);
  const apps = await openPoolApps(pool, [CRM, OTHER]);
  const store = await openHostSqlite({ file: ':memory:' });
  const notices: HostNotice[] = [];
  const lines: string[] = [];
  const host = createHost({
    store,
    tracing,
    queue: createLocalQueue(),
    receiver: createPoolReceiver({ pool, apps, module, webhookTimeoutMs }),
    flows: createPoolFlows({
      pool,
      apps,
      module,
      tracing,
      onBundles: (_scenario, more) => void lines.push(...more),
      ...flows,
    }),
    observer: (notice) => void notices.push(notice),
  });
  cleanups.push(
    () => host.stop(1000),
    () => pool.close(),
  );
  const add = (entry: Partial<ScenarioEntry>) =>
    setUpScenario(
      { host, store, engines: apps, connectionNames },
      {
        name: 's',
        webhook: hook('event'),
        everyMinutes: undefined,
        ordered: false,
        settings: {},
        modules: [],
        ...entry,
      },
    );
  return { host, store, notices, lines, tasks, add };
}

function hook(webhook: string, app = 'crm', uid?: string): ScenarioEntry['webhook'] {
  return { app, webhook, connection: undefined, uid, parameters: {} };
}

function step(id: number, name: string, more: object = {}): ScenarioEntry['modules'][number] {
  return { id, app: 'crm', module: name, ...more };
}

async function post(host: Host, address: string | undefined, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return host.fetch(
    new Request(`http://localhost${address}`, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

it('receives a call in a worker, and runs its event through all modules in one worker', async () => {
  const { host, store, lines, add } = await open();
  const { hook: at } = await add({
    modules: [
      step(2, 'echo', { parameters: { text: 'hi {{1.name}}' } }),
      step(3, 'keyed', { connection: 'mine' }),
      step(4, 'echo', { parameters: { text: '{{2.text}} {{3.key}}' } }),
    ],
  });
  await host.start();
  expect((await post(host, at?.path, { name: 'Ann' })).status).toBe(200);
  await eventually(async () => (await store.count('events', { status: 'done' })) === 1);
  expect(lines).toEqual(['{"scenario":"s","bundle":{"text":"hi Ann crm mine"}}']);
});

it('responds with 503 to a call that does not end, while another app is served', async () => {
  const { host, store, notices, add } = await open({ webhookTimeoutMs: 4000 });
  const { hook: endless } = await add({ name: 'endless', webhook: hook('endless') });
  const { hook: other } = await add({ name: 'other', webhook: hook('event', 'other') });
  await post(host, other?.path, 0);
  const refused = post(host, endless?.path, 1);
  expect((await post(host, other?.path, { n: 1 })).status).toBe(200);
  const response = await refused;
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(notices).toContainEqual(expect.objectContaining({ kind: 'call-refused', reason: 'terminated' }));
  expect(await store.count('events')).toBe(2);
});

it.each<[string, readonly TerminationCause[], status: number, calls: number]>([
  ['repeats a call that another run of the app ended twice', ['other-run', 'other-run'], 200, 3],
  [
    'responds with 503 to a call that other runs ended three times',
    ['other-run', 'other-run', 'other-run'],
    503,
    3,
  ],
  ['does not repeat a call that may be at fault', ['unknown'], 503, 1],
  ['does not repeat a call that ended its own worker', ['run'], 503, 1],
])('%s', async (_title, causes, status, calls) => {
  const terminated = causes.map((causedBy) => ({ task: 'receiveCall', causedBy }));
  const { host, tasks, add } = await open({ terminated });
  const { hook: at } = await add({});
  expect((await post(host, at?.path, { n: 1 })).status).toBe(status);
  expect(tasks.filter((name) => name === 'receiveCall')).toHaveLength(calls);
});

it('repeats a flow that another run of the app ended, until it has stored something', async () => {
  const repeated = await open({ terminated: [{ task: 'runFlow', causedBy: 'other-run' }] });
  const { hook: first } = await repeated.add({ modules: [step(2, 'echo', { parameters: { text: 'hi' } })] });
  await repeated.host.start();
  await post(repeated.host, first?.path, {});
  await eventually(async () => (await repeated.store.count('events', { status: 'done' })) === 1);
  expect([repeated.lines.length, repeated.tasks.filter((name) => name === 'runFlow').length]).toEqual([1, 2]);

  // The trigger has stored its progress, so a repeat would process its bundles again.
  const terminated = [{ task: 'runFlow', causedBy: 'other-run', after: true }] as const;
  const stored = await open({ terminated });
  const settings = { autoCommit: true };
  await stored.add({ webhook: undefined, everyMinutes: 60, settings, modules: [step(1, 'watch')] });
  await stored.host.start();
  await stored.store.transaction((writer) => writer.update('scenarios', { name: 's' }, { nextRunMs: 1 }));
  await eventually(() => stored.notices.some(({ kind }) => kind === 'run-finished'));
  expect(stored.tasks.filter((name) => name === 'runFlow')).toHaveLength(1);
});

it('backs off and repeats the event of a run whose worker was terminated', async () => {
  const { host, store, notices, add } = await open({ timeoutMs: 4000 });
  const { hook: at } = await add({ modules: [step(2, 'hang')] });
  await host.start();
  await post(host, at?.path, { n: 1 });
  await eventually(() => notices.some(({ kind }) => kind === 'run-finished'));
  const finished = notices.find((notice) => notice.kind === 'run-finished');
  expect(finished).toMatchObject({ becomes: 'again', error: { type: 'ModuleTimeoutError' } });
  expect(await store.find('events')).toMatchObject([{ status: 'pending', attempts: expect.any(Number) }]);
  expect(await host.scenarios.get('s')).toMatchObject({ state: { kind: 'backoff', attempt: 1 } });
});

it('plans the next retry of an incomplete execution whose worker was terminated', async () => {
  const { host, store, notices, add } = await open({ timeoutMs: 4000 });
  const settings = { storeIncomplete: true };
  const { hook: at } = await add({
    settings,
    modules: [step(2, 'fail', { onError: { kind: 'break', intervalMs: 60_000 } })],
  });
  await host.start();
  await post(host, at?.path, { n: 1 });
  await eventually(async () => (await store.count('incompletes')) === 1);
  expect(await store.find('incompletes')).toMatchObject([{ status: 'waiting', attempts: 1 }]);
  // The step has changed by now, and the retry is due.
  await add({ settings, modules: [step(2, 'hang', { onError: { kind: 'break', intervalMs: 60_000 } })] });
  await store.transaction((writer) => writer.update('incompletes', {}, { retryAtMs: 1 }));
  await eventually(() => notices.filter(({ kind }) => kind === 'run-finished').length === 2);
  const [incomplete] = await store.find('incompletes');
  expect(incomplete).toMatchObject({ status: 'waiting', attempts: 2 });
  expect(incomplete?.retryAtMs).toBeGreaterThan(Date.now());
});

it('stores the state of a trigger, and sends the response of a responder', async () => {
  const { host, store, lines, add } = await open();
  await add({ name: 'poll', webhook: undefined, everyMinutes: 60, modules: [step(1, 'watch')] });
  const { hook: at } = await add({ modules: [step(2, 'answer', { parameters: { name: '{{1.name}}' } })] });
  await host.start();
  const response = await post(host, at?.path, { name: 'Ann' });
  expect([response.status, await response.text()]).toEqual([201, 'hello Ann']);
  await store.transaction((writer) => writer.update('scenarios', { name: 'poll' }, { nextRunMs: 1 }));
  await eventually(async () => (await store.get('scenarios', { name: 'poll' }))?.lastRunMs !== null);
  const { triggerState } = (await store.get('scenarios', { name: 'poll' })) ?? {};
  expect(JSON.parse(JSON.stringify(triggerState))).toMatchObject({ lastId: expect.anything() });
  expect(lines.filter((line) => line.includes('"poll"')).length).toBeLessThanOrEqual(3);
});

it('finds the recipients of a shared webhook, and attaches hooks, in a worker', async () => {
  const { host, store, add } = await open();
  await add({ name: 'ann', webhook: hook('shared', 'crm', 'u1') });
  const { hook: bob } = await add({ name: 'bob', webhook: hook('shared', 'crm', 'u2') });
  expect((await post(host, bob?.path, { user: 'u2' })).status).toBe(200);
  const [row] = await store.find('hooks', { where: { name: 'bob' } });
  expect(await store.find('events')).toMatchObject([{ hookId: row?.id }]);
  await add({ name: 'attached', webhook: hook('attached') });
  const [attached] = await store.find('hooks', { where: { name: 'attached' } });
  expect(attached?.data).toEqual({ id: 'https://api.example.com/attach' });
});

it('refuses a scenario with an unknown connection, and backs off if a run lacks one', async () => {
  let names: readonly string[] = ['mine'];
  const connectionNames = async (): Promise<readonly string[]> => names;
  const { host, store, add } = await open({ connectionNames });
  const keyed = (connection: string) => ({ modules: [step(2, 'keyed', { connection })] });
  await expect(add(keyed('mien'))).rejects.toMatchObject({
    code: 'HOST_MISSING',
    message: 'The app "crm" has no connection "mien", which the scenario "s" uses. Did you mean "mine"?',
  });
  expect(await store.count('scenarios')).toBe(0);
  const { hook: at } = await add(keyed('mine'));
  names = [];
  await host.start();
  await post(host, at?.path, {});
  await eventually(async () => (await store.get('scenarios', { name: 's' }))?.lastError !== null);
  expect(await host.scenarios.get('s')).toMatchObject({ state: { kind: 'backoff' } });
  expect(await store.find('events')).toMatchObject([{ status: 'pending' }]);
});

it('traces each module within the span of its run', async () => {
  const spans: string[] = [];
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const parent = new AsyncLocalStorage<string>();
  const tracing: Tracing = {
    startSpan: ({ name }) => {
      const at = `${parent.getStore() ?? ''}/${name}`;
      return {
        ...NO_SPAN,
        fail: (text: string) => spans.push(`${at}: ${text}`),
        within: (work) => parent.run(at, work),
        end: () => spans.push(at),
      };
    },
  };
  const { host, add } = await open({ tracing });
  const { hook: at } = await add({ modules: [step(2, 'fail', { onError: { kind: 'ignore' } })] });
  await host.start();
  await post(host, at?.path, {});
  await eventually(() => spans.some((span) => span.endsWith('/iml run')));
  const modules = spans.filter((span) => span.includes('/iml run/iml module'));
  expect(modules.map((span) => span.slice(span.indexOf('/iml run')))).toContain(
    '/iml run/iml module: ConnectionError',
  );
});

it('redacts secrets of the hook and its connections in errors of a worker', async () => {
  const app: AppDefinition = {
    name: 'leaky',
    connections: { key: { communication: {} } },
    webhooks: { event: { communication: { output: '{{body}}' } } },
    modules: {
      quote: {
        connection: 'key',
        communication: {
          url: 'https://x.example.com/',
          response: { valid: false, error: { message: 'got {{parameters.text}}' } },
        },
      },
    },
  };
  const connections = { get: async () => connection('k'), save: async () => {} };
  const pool = createEnginePool({ worker, setup, connections });
  const apps = await openPoolApps(pool, [app]);
  const store = await openHostSqlite({ file: ':memory:' });
  const findConnectionSecrets = async (): Promise<readonly string[]> => ['connection-secret-1'];
  const host = createHost({
    store,
    queue: createLocalQueue(),
    receiver: createPoolReceiver({ pool, apps, module }),
    flows: createPoolFlows({ pool, apps, module, findConnectionSecrets }),
  });
  cleanups.push(
    () => host.stop(1000),
    () => pool.close(),
  );
  const entry = { name: 's', everyMinutes: undefined, ordered: false, settings: {} };
  const quote = {
    id: 2,
    app: 'leaky',
    module: 'quote',
    connection: 'mine',
    parameters: { text: '{{1.text}}' },
  };
  const { hook: at } = await setUpScenario(
    { host, store, engines: apps },
    { ...entry, webhook: hook('event', 'leaky'), modules: [quote] },
  );
  await host.start();
  await post(host, at?.path, { text: 'connection-secret-1 and more' });
  await eventually(async () => (await store.count('events', { status: 'dead' })) === 1);
  const [event] = await store.find('events');
  expect(JSON.stringify(event?.error)).toContain('and more');
  expect(JSON.stringify(event?.error)).not.toContain('connection-secret-1');
});
