import { setTimeout as sleep } from 'node:timers/promises';
import { createHost } from '../../src/host/create-host.js';
import { completeSettings } from '../../src/scenario/scenario-state.js';
import type { BenchDatabase } from './bench-database.js';
import { type Fleet, startFleet } from './fleet.js';
import type { Load } from './load.js';
import { receiver, SUCCESS } from './quiet-parts.js';

/** Requests per second, sent without waiting for responses. */
const RATES = [100, 500, 1000];
/** Maximum number of waiting events per hook under overload. */
const MAX_QUEUED = 1000;
/** Number of requests that determine the throughput. */
const TRIAL = 1000;

/** Result of requests at a fixed rate. */
export interface RateRow {
  readonly what: string;
  readonly processes: number;
  readonly 'offered/s': number;
  readonly 'accepted/s': number;
  readonly 'finished/s': number;
  readonly '429': number;
  readonly '503': number;
  readonly failed: number;
  readonly 'p50 ms': number;
  readonly 'p99 ms': number;
  readonly 'CPU ms': string;
  readonly statements: string;
  readonly 'RSS MB': number;
}

export interface RateTable {
  readonly rows: readonly RateRow[];
  /** One INSERT per request. */
  readonly measureRaw: (database: BenchDatabase) => Promise<void>;
  readonly measureHost: (database: BenchDatabase, ordered: boolean) => Promise<void>;
}

interface Target {
  readonly what: string;
  readonly processes: number;
  readonly fleet: Fleet;
  readonly path: string;
  /** Resolves when no event waits. */
  readonly drain: () => Promise<void>;
}

export function createRateTable(load: Load, seconds: number, counts: readonly number[]): RateTable {
  const rows: RateRow[] = [];

  async function offer({ what, processes, fleet, path, drain }: Target, perSecond: number): Promise<void> {
    const before = await fleet.report();
    const startedAt = performance.now();
    const { statuses, p50Ms, p99Ms } = await load.send({ ports: before.ports, path, perSecond, seconds });
    const elapsed = (performance.now() - startedAt) / 1000;
    const sent = await fleet.report();
    await drain();
    const after = await fleet.report();
    const { 200: accepted = 0, 429: full = 0, 503: late = 0, ...others } = statuses;
    rows.push({
      what,
      processes,
      'offered/s': perSecond,
      'accepted/s': Math.round(accepted / elapsed),
      'finished/s': Math.round((sent.finished - before.finished) / elapsed),
      '429': full,
      '503': late,
      failed: Object.values(others).reduce((sum, count) => sum + count, 0),
      'p50 ms': Math.round(p50Ms),
      'p99 ms': Math.round(p99Ms),
      'CPU ms': ((after.cpuMs - before.cpuMs) / accepted).toFixed(2),
      statements: ((after.statements - before.statements) / accepted).toFixed(2),
      'RSS MB': Math.round(after.rssMb),
    });
  }

  return {
    rows,
    measureRaw: async ({ engine, at }) => {
      for (const processes of counts) {
        const fleet = await startFleet(processes, { what: 'raw', engine, at, maxQueued: MAX_QUEUED });
        const what = `${engine}: node:http + 1 INSERT`;
        for (const rate of RATES)
          await offer({ what, processes, fleet, path: '/', drain: async () => {} }, rate);
        await fleet.end();
      }
    },
    measureHost: async (database, ordered) => {
      const { engine, at } = database;
      const store = await database.open();
      const kind = ordered ? 'ordered' : 'unordered';
      const host = createHost({ store, receiver, flows: { run: async () => SUCCESS } });
      const hook = await host.putHook({ name: kind, app: 'a', webhook: 'w', kind: 'dedicated' });
      const settings = completeSettings({ scheduling: 'instant' });
      const plan = { settings, everyMs: undefined, ordered, answers: false, flow: null };
      await host.scenarios.put({ name: kind, plan, hookId: hook.id });
      const drain = async (): Promise<void> => {
        while ((await store.count('events', { status: ['pending', 'running'] })) > 0) await sleep(20);
      };
      // A SQLite file allows one host.
      for (const processes of engine === 'sqlite' ? [1] : counts) {
        const fleet = await startFleet(processes, { what: 'host', engine, at, maxQueued: MAX_QUEUED });
        const target = { what: `${engine}: ${kind}`, processes, fleet, path: hook.path, drain };
        const { ports } = await fleet.report();
        const startedAt = performance.now();
        await load.sendAll(ports, TRIAL, hook.path);
        await drain();
        const finishedPerSecond = TRIAL / ((performance.now() - startedAt) / 1000);
        for (const rate of [...RATES, Math.round(2 * finishedPerSecond)]) await offer(target, rate);
        await fleet.end();
      }
      await store.close();
    },
  };
}
