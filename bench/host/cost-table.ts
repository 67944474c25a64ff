import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '../../src/host/create-host.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { completeSettings } from '../../src/scenario/scenario-settings.js';
import type { BenchDatabase } from './bench-database.js';
import { countStatements } from './count-statements.js';
import { openGraphile } from './graphile.js';
import type { Load } from './load.js';
import { PAYLOAD } from './payload.js';
import { receiver, SUCCESS } from './quiet-parts.js';
import { openRaw, serveRaw } from './raw-parts.js';

export interface CostRow {
  readonly what: string;
  readonly 'per second': number;
  readonly 'CPU ms each': string;
  readonly 'statements each'?: string;
}

/** What is done as fast as it goes: the raw parts of a host, and a host, in this process. */
export interface CostTable {
  readonly rows: readonly CostRow[];
  readonly measureHttp: () => Promise<void>;
  readonly measureRaw: (database: BenchDatabase) => Promise<void>;
  /** Graphile Worker behind `node:http`, a call a job; of PostgreSQL only. */
  readonly measureGraphile: (database: BenchDatabase) => Promise<void>;
  readonly measureHost: (database: BenchDatabase) => Promise<void>;
}

export function createCostTable(load: Load, events: number): CostTable {
  const rows: CostRow[] = [];

  async function time(what: string, work: () => Promise<void>, statements?: () => number): Promise<void> {
    const asked = statements?.() ?? 0;
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
      ...(statements && { 'statements each': ((statements() - asked) / events).toFixed(2) }),
    });
  }

  async function measureServed(what: string, keep: (body: string) => Promise<unknown>): Promise<void> {
    const { port, close } = await serveRaw(keep);
    await load.sendAll([port], 500);
    await time(what, () => load.sendAll([port], events));
    await close();
  }

  async function measureKind(database: BenchDatabase, ordered: boolean): Promise<void> {
    const given = await database.open();
    const { store, count } = countStatements(given);
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
    // By what has run first: counting in the store each 20 ms would be counted as the host's own work.
    const drain = async (runs: number): Promise<void> => {
      while (done < runs) await sleep(20);
      while ((await given.count('events', { status: ['pending', 'running'] })) > 0) await sleep(20);
    };
    const { origin } = await host.listen();
    const send = (): Promise<void> => load.sendAll([Number(new URL(origin).port)], events, hook.path);
    await time(`${engine}: accept, ${kind}`, send, count);
    const work = async (): Promise<void> => {
      await host.start();
      await drain(events);
    };
    await time(`${engine}: work off, ${kind}`, work, count);
    const both = async (): Promise<void> => {
      await send();
      await drain(2 * events);
    };
    await time(`${engine}: accept and work, ${kind}`, both, count);
    if (done !== 2 * events) throw new Error(`${done} runs of ${2 * events}.`);
    await host.stop(1000);
    await given.close();
  }

  async function measureGraphileKind(database: BenchDatabase, ordered: boolean): Promise<void> {
    const graphile = await openGraphile(database.at);
    const { port, close } = await serveRaw((body) => graphile.add(body, ordered));
    const kind = ordered ? 'one queue' : 'unordered';
    const send = (): Promise<void> => load.sendAll([port], events);
    const drain = async (jobs: number): Promise<void> => {
      while (graphile.finished() < jobs) await sleep(20);
    };
    await time(`Graphile Worker: accept, ${kind}`, send, graphile.statements);
    const work = async (): Promise<void> => {
      await graphile.start();
      await drain(events);
    };
    await time(`Graphile Worker: work off, ${kind}`, work, graphile.statements);
    const both = async (): Promise<void> => {
      await send();
      await drain(2 * events);
    };
    await time(`Graphile Worker: accept and work, ${kind}`, both, graphile.statements);
    await close();
    await graphile.close();
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
    measureGraphile: async (database) => {
      if (database.engine === 'sqlite') return;
      await measureGraphileKind(database, false);
      await measureGraphileKind(database, true);
    },
    measureHost: async (database) => {
      await measureKind(database, false);
      await measureKind(database, true);
    },
  };
}
