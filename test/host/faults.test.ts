import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  createHost,
  createLocalQueue,
  createPostgresQueue,
  type Host,
  type HostQueue,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { compileProcess } from './compile-process.js';
import { eventually } from './open-parts.js';
import type { WorkerSettings } from './open-worker.js';
import { send } from './send.js';
import {
  createFile,
  createHostDatabase,
  dropTemplate,
  hasPostgres,
  onServer,
  POSTGRES_MISSING,
} from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';
import { startWorker, type WorkerProcess } from './worker-process.js';

// The lease is two seconds here; `IML_FULL=1` pauses the worker for 90 s with the lease of 30 s.
const isFull = process.env['IML_FULL'] === '1';
/** After that time other workers take over the jobs of a silent process. */
const HEARTBEAT_MS = 10_000;
const PAUSE_MS = isFull ? 90_000 : 6000;

let script: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  script = await compileProcess('host-worker');
}, 60_000);

afterAll(dropTemplate);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(settings: WorkerSettings): Promise<WorkerProcess> {
  const worker = await startWorker(script, settings);
  if (worker === undefined) throw new Error('The worker did not start.');
  cleanups.push(async () => worker.child.kill('SIGKILL'));
  return worker;
}

async function post(worker: WorkerProcess, n: number): Promise<number> {
  const body = JSON.stringify({ n, attempt: 1 });
  return (await send(`${worker.origin}${worker.paths[0]}`, { body })).status;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function numbersIn(effects: string): Promise<number[]> {
  const text = await readFile(effects, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => Number(line.split(' ')[1]));
}

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `takes over the jobs of a suspended worker, which then commits none of them${POSTGRES_MISSING}`,
  { timeout: PAUSE_MS + 240_000 },
  async () => {
    const [database, folder] = [await createHostDatabase(), await createFile()];
    cleanups.push(database.drop, folder.drop);
    const effects = path.join(folder.name, 'effects.log');
    const settings: WorkerSettings = {
      engine: 'postgres',
      at: database.at,
      effects,
      hooks: 1,
      effectMs: 300,
    };
    const sleeper = await start(settings);
    for (let n = 1; n <= 5; n++) expect(await post(sleeper, n)).toBe(200);
    await eventually(async () => (await numbersIn(effects)).length >= 1);
    sleeper.child.kill('SIGSTOP');
    const pausedAt = Date.now();
    const other = await start(settings);
    // The heartbeat, and the time after which the server ends an idle transaction.
    await eventually(async () => new Set(await numbersIn(effects)).size === 5, HEARTBEAT_MS * 3 + 50_000);
    await sleep(Math.max(0, PAUSE_MS - (Date.now() - pausedAt)));
    sleeper.child.kill('SIGCONT');
    for (let n = 6; n <= 8; n++) expect(await post(other, n)).toBe(200);
    await eventually(async () => new Set(await numbersIn(effects)).size === 8, 20_000);
    const store = await openHostPostgres({ url: database.at });
    cleanups.push(() => store.close());
    await eventually(async () => (await store.count('events', { status: 'done' })) === 8, 20_000);
    const seen = await numbersIn(effects);
    // The in-flight event of the suspended process may repeat: its effect preceded its commit.
    expect(seen.length).toBeLessThanOrEqual(9);
    expect([...new Set(seen)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `keeps the order if a process takes rows for a turn that another one took over${POSTGRES_MISSING}`,
  { timeout: 60_000 },
  async () => {
    const database = await createHostDatabase();
    const store = await openHostPostgres({ url: database.at });
    cleanups.push(database.drop, () => store.close());
    const wanted = Array.from({ length: 20 }, (_, n) => n);
    const seen: number[] = [];
    const open = async (queue: HostQueue): Promise<Host> => {
      const flows = flowsOf(async ({ source }) => {
        if (source.kind !== 'event') return SUCCESS;
        seen.push(...source.bundles.map((bundle) => Reflect.get(Object(bundle), 'n')));
        await sleep(5);
        return SUCCESS;
      });
      // One slot: a process that waits for a turn fetches no other.
      const limits = { concurrency: 1 };
      const host = createHost({ store, queue, receiver: receiveJson, flows, limits });
      cleanups.push(() => host.stop(0));
      return host;
    };
    // Delivers the first turn late, as a process does that was suspended before it took rows.
    const queue = await createPostgresQueue({ url: database.at, pollMs: 50 });
    let [isStarted, isResumed] = [false, false];
    const late = await open({
      ...queue,
      start: (handler, options) =>
        queue.start((turn) => {
          isStarted = true;
          return eventually(() => isResumed).then(() => handler(turn));
        }, options),
    });
    const hook = await late.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
    await late.scenarios.put({ name: 's', plan: plan({ ordered: true }), hookId: hook.id });
    for (const n of wanted) {
      const init = { method: 'POST', body: JSON.stringify({ n }) };
      expect((await late.fetch(new Request(`http://localhost${hook.path}`, init))).status).toBe(200);
    }
    await late.start();
    await eventually(() => isStarted);
    const other = await open(await createPostgresQueue({ url: database.at, pollMs: 50 }));
    await other.start();
    const lapse = `update iml_queue.job set heartbeat_on = now() - interval '1 minute'
      where state = 'active' and retry_count = 0`;
    await eventually(async () => {
      await onServer(lapse, database.name);
      return seen.length > 1;
    });
    isResumed = true;
    await eventually(async () => (await store.count('events', { status: 'done' })) === wanted.length);
    expect(seen.filter((n, index) => seen.indexOf(n) === index)).toEqual(wanted);
  },
);

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `refuses calls with a clear error while the database is down, and resumes when it is back${POSTGRES_MISSING}`,
  { timeout: 90_000 },
  async () => {
    const [database, folder] = [await createHostDatabase(), await createFile()];
    cleanups.push(database.drop, folder.drop);
    const effects = path.join(folder.name, 'effects.log');
    const worker = await start({
      engine: 'postgres',
      at: database.at,
      effects,
      hooks: 1,
      effectMs: 100,
    });
    for (let n = 1; n <= 10; n++) expect(await post(worker, n)).toBe(200);
    await onServer(`alter database ${database.name} allow_connections false`);
    await onServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`,
    );
    const away = await send(`${worker.origin}${worker.paths[0]}`, { body: '{"n":99}' });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await send(`${worker.origin}/health`, { method: 'GET' })).status).toBe(503);
    await sleep(3000);
    await onServer(`alter database ${database.name} allow_connections true`);
    await eventually(async () => (await post(worker, 11).catch(() => 0)) === 200, 20_000);
    await eventually(async () => new Set(await numbersIn(effects)).size === 11, 40_000);
    const seen = await numbersIn(effects);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen).not.toContain(99);
    expect(seen.length).toBeLessThanOrEqual(12);
    expect(worker.errors()).toContain('The database is unavailable (');
    expect(worker.errors()).not.toContain('rejected a statement');
    // Neither of the queue.
    expect(worker.errors()).not.toMatch(/^(error|Error):/m);
  },
);

it('refuses calls with a clear error while the file is full, and loses no accepted event', {
  timeout: 60_000,
}, async () => {
  const file = await createFile();
  const errors: unknown[] = [];
  const tight = await openHostSqlite({ file: file.at, maxPages: 60 });
  const open = (store: typeof tight) =>
    createHost({
      store,
      queue: createLocalQueue(),
      receiver: receiveJson,
      flows: flowsOf(({ source }) => {
        if (source.kind === 'event') seen.push(Number(Reflect.get(Object(source.bundles[0]), 'n')));
        return SUCCESS;
      }),
      observer: (notice) => notice.kind === 'problem' && errors.push(notice.error),
    });
  const seen: number[] = [];
  const host = open(tight);
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan({ ordered: true }), hookId: hook.id });
  const accepted: number[] = [];
  let refused = 0;
  for (let n = 1; n <= 100 && refused < 3; n++) {
    const body = JSON.stringify({ n, filling: 'x'.repeat(4000) });
    const { status } = await host.fetch(
      new Request(`http://localhost${hook.path}`, { method: 'POST', body }),
    );
    if (status === 200) accepted.push(n);
    else {
      expect(status).toBe(503);
      refused++;
    }
  }
  expect(refused).toBe(3);
  expect(await host.health()).toMatchObject({ status: 'failing', problem: 'The store is full.' });
  expect(errors[0]).toMatchObject({
    code: 'STORE_FULL',
    message: 'No space left for the database.',
  });
  await tight.close();
  const roomy = await openHostSqlite({ file: file.at });
  const again = open(roomy);
  await again.start();
  await eventually(() => seen.length >= accepted.length);
  expect(seen).toEqual(accepted);
  await again.stop(1000);
  await roomy.close();
  await file.drop();
});
