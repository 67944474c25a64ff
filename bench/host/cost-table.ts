import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '../../src/host/create-host.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { completeSettings } from '../../src/scenario/scenario-state.js';
import type { BenchDatabase } from './bench-database.js';
import { countStatements } from './count-statements.js';
import type { Load } from './load.js';
import { PAYLOAD } from './payload.js';
import { openPgBossLoop } from './pg-boss-loop.js';
import { receiver, SUCCESS } from './quiet-parts.js';
import { openRaw, serveRaw } from './raw-parts.js';

export interface CostRow {
  readonly what: string;
  readonly 'per second': number;
  readonly 'CPU ms each': string;
  readonly 'statements each'?: string;
}

/** Maximum throughput of the raw parts of a host, and of a host in this process. */
export interface CostTable {
  readonly rows: readonly CostRow[];
  readonly measureHttp: () => Promise<void>;
  readonly measureRaw: (database: BenchDatabase) => Promise<void>;
  /** pg-boss behind `node:http`, one job per request: the baseline of a host on PostgreSQL. */
  readonly measurePgBoss: (database: BenchDatabase, ordered: boolean) => Promise<void>;
  readonly measureHost: (database: BenchDatabase, ordered: boolean) => Promise<void>;
}

export function createCostTable(load: Load, events: number): CostTable {
  const rows: CostRow[] = [];

  async function time(what: string, work: () => Promise<void>, statements?: () => number): Promise<void> {
    const before = statements?.() ?? 0;
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    await work();
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const each = (user + system) / 1000 / events;
    rows.push({
      what,
      'per second': Math.round(events / seconds),
      'CPU ms each': each.toFixed(2),
      ...(statements && { 'statements each': ((statements() - before) / events).toFixed(2) }),
    });
  }

  async function measureServed(what: string, store: (body: string) => Promise<unknown>): Promise<void> {
    const { port, close } = await serveRaw(store);
    await load.sendAll([port], 500);
    await time(what, () => load.sendAll([port], events));
    await close();
  }

  async function measureHost(database: BenchDatabase, ordered: boolean): Promise<void> {
    const opened = await database.open();
    const { store, count } = countStatements(opened);
    let done = 0;
    const run = async (): Promise<typeof SUCCESS> => {
      done++;
      return SUCCESS;
    };
    const { engine, at } = database;
    const queue = engine === 'sqlite' ? undefined : await createPostgresQueue({ url: at });
    const limits = { maxQueued: 10 * events };
    const host = createHost({ store, queue, flows: { run }, receiver, limits });
    const kind = ordered ? 'ordered' : 'unordered';
    const hook = await host.putHook({ name: kind, app: 'a', webhook: 'w', kind: 'dedicated' });
    const settings = completeSettings({ scheduling: 'instant' });
    const plan = { settings, everyMs: undefined, ordered, answers: false, flow: null };
    await host.scenarios.put({ name: kind, plan, hookId: hook.id });
    // Counts runs first, because queries of the store would count as work of the host.
    const drain = async (runs: number): Promise<void> => {
      while (done < runs) await sleep(20);
      while ((await opened.count('events', { status: ['pending', 'running'] })) > 0) await sleep(20);
    };
    const { origin } = await host.listen();
    const send = (): Promise<void> => load.sendAll([Number(new URL(origin).port)], events, hook.path);
    await time(`${engine}: accept, ${kind}`, send, count);
    const work = async (): Promise<void> => {
      await host.start();
      await drain(events);
    };
    await time(`${engine}: finish, ${kind}`, work, count);
    const both = async (): Promise<void> => {
      await send();
      await drain(2 * events);
    };
    await time(`${engine}: accept and finish, ${kind}`, both, count);
    if (done !== 2 * events) throw new Error(`${done} runs of ${2 * events}.`);
    await host.stop(1000);
    await opened.close();
  }

  async function measurePgBoss({ at }: BenchDatabase, ordered: boolean): Promise<void> {
    const loop = await openPgBossLoop(at, ordered);
    const { port, close } = await serveRaw(loop.add);
    const kind = ordered ? 'ordered' : 'unordered';
    const send = (): Promise<void> => load.sendAll([port], events);
    const drain = async (jobs: number): Promise<void> => {
      while (loop.finished() < jobs) await sleep(20);
    };
    await time(`pg-boss: accept, ${kind}`, send, loop.statements);
    const work = async (): Promise<void> => {
      loop.start();
      await drain(events);
    };
    await time(`pg-boss: finish, ${kind}`, work, loop.statements);
    const both = async (): Promise<void> => {
      await send();
      await drain(2 * events);
    };
    await time(`pg-boss: accept and finish, ${kind}`, both, loop.statements);
    await close();
    await loop.close();
  }

  return {
    rows,
    measureHttp: () => measureServed('node:http with JSON', async () => {}),
    measureRaw: async ({ engine, at }) => {
      const raw = await openRaw(engine, at);
      await measureServed(`${engine}: node:http + 1 INSERT`, raw.insert);
      await time(`${engine}: raw INSERT + UPDATE`, async () => {
        for (let n = 0; n < events; n++) await raw.finish(await raw.insert(PAYLOAD));
      });
      await raw.close();
    },
    measurePgBoss,
    measureHost,
  };
}
