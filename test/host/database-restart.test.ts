import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { openHostPostgres } from '../../src/host/index.js';
import { compileProcess } from './compile-process.js';
import { eventually } from './open-parts.js';
import { hasPrograms, type OwnServer, PROGRAMS_MISSING, startOwnServer } from './own-server.js';
import { send } from './send.js';
import { createFile } from './test-database.js';
import { startWorker, type WorkerProcess } from './worker-process.js';

const HOOKS = 3;

let script: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (hasPrograms) script = await compileProcess('host-worker');
}, 120_000);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Sender {
  /** Sent events with a 2xx response. */
  readonly acknowledged: Set<string>;
  /** Sent events that were refused or got no response. */
  readonly unanswered: Set<string>;
  readonly statuses: Set<number>;
  readonly stop: () => Promise<void>;
}

/** Sends the events of each hook in sequence and retries each until it is accepted, until stopped. */
function startSender(workers: readonly WorkerProcess[]): Sender {
  const sender = {
    acknowledged: new Set<string>(),
    unanswered: new Set<string>(),
    statuses: new Set<number>(),
  };
  let isOver = false;
  const feed = async (hook: number): Promise<void> => {
    for (let n = 1; !isOver; n++) {
      for (let attempt = 1; ; attempt++) {
        const to = workers[(n + attempt + hook) % workers.length];
        const body = JSON.stringify({ n, attempt });
        const answer = await send(`${to?.origin}${to?.paths[hook]}`, { body }).catch(() => undefined);
        if (answer !== undefined) sender.statuses.add(answer.status);
        const sending = `hook-${hook} ${n} ${attempt}`;
        if (answer?.status === 200) {
          sender.acknowledged.add(sending);
          break;
        }
        sender.unanswered.add(sending);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const feeding = Promise.all(Array.from({ length: HOOKS }, (_, hook) => feed(hook)));
  return {
    ...sender,
    stop: async () => {
      isOver = true;
      await feeding;
    },
  };
}

async function effectsIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').slice(0, 3).join(' '));
}

/** A crash with recovery, a restart, and kill -9 of the first process, each under load. */
const FAULTS: readonly ((server: OwnServer) => Promise<void>)[] = [
  (server) => server.restart('immediate'),
  (server) => server.restart('fast'),
  async (server) => {
    server.killPostmaster();
    await server.start();
  },
];

// Needs the programs of a PostgreSQL server. CI fails if this test is skipped.
it.skipIf(!hasPrograms)(
  `loses and repeats nothing when the database crashes, restarts or is killed, and resumes without help${PROGRAMS_MISSING}`,
  { timeout: 600_000 },
  async () => {
    const [server, folder] = [await startOwnServer(), await createFile()];
    cleanups.push(folder.drop, server.remove);
    const effects = path.join(folder.name, 'effects.log');
    const start = async (): Promise<WorkerProcess> => {
      // The lease is longer than the test, so no other worker takes over.
      const worker = await startWorker(script, {
        engine: 'postgres',
        at: server.url,
        effects,
        hooks: HOOKS,
        effectMs: 20,
      });
      if (worker === undefined) throw new Error('The worker did not start.');
      cleanups.push(async () => worker.child.kill('SIGKILL'));
      return worker;
    };
    const workers = [await start(), await start()];
    const sender = startSender(workers);
    const progress = async (): Promise<void> => {
      const { length } = await effectsIn(effects);
      await eventually(async () => (await effectsIn(effects)).length >= length + 10, 120_000);
    };
    await progress();
    for (const fault of FAULTS) {
      await fault(server);
      await progress();
    }

    await server.stop('fast');
    const [worker] = workers;
    const away = await send(`${worker?.origin}${worker?.paths[0]}`, { body: '{"n":0}' });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
    const health = await send(`${worker?.origin}/health`, { method: 'GET' });
    expect([health.status, await health.json()]).toMatchObject([
      503,
      { status: 'failing', problem: 'The store is unavailable.' },
    ]);
    await server.start();
    await progress();

    await sender.stop();
    const store = await openHostPostgres({ url: server.url });
    cleanups.push(() => store.close());
    await eventually(
      async () => (await store.count('events', { status: ['pending', 'running'] })) === 0,
      120_000,
    );
    expect(await store.count('events', { status: 'dead' })).toBe(0);
    const seen = await effectsIn(effects);
    expect([...sender.acknowledged].filter((sending) => !seen.includes(sending))).toEqual([]);
    // A retried event may exist twice with different ids. No event is processed twice.
    expect(seen.length).toBe(new Set(seen).size);
    const known = new Set([...sender.acknowledged, ...sender.unanswered]);
    expect(seen.filter((sending) => !known.has(sending))).toEqual([]);
    for (let hook = 0; hook < HOOKS; hook++) {
      const own = seen.filter((line) => line.startsWith(`hook-${hook} `));
      const numbers = own.map((line) => Number(line.split(' ')[1]));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    }
    expect([...sender.statuses].sort()).toEqual([200, 503]);
    for (const { child, errors } of workers) {
      expect(child.exitCode).toBeNull();
      expect(errors()).toContain('The database is unavailable (');
      expect(errors()).not.toContain('rejected a statement');
    }
  },
);
