import { setTimeout as sleep } from 'node:timers/promises';
import { createHost, type Host } from '../../src/host/create-host.js';
import type { FlowRequest, Flows } from '../../src/host/ports.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import type { EventRow, HostStore } from '../../src/host/store/tables.js';
import { completeSettings } from '../../src/scenario/scenario-state.js';
import type { BenchDatabase } from './bench-database.js';
import type { Load } from './load.js';
import { openPgBossLoop } from './pg-boss-loop.js';
import { receiver, SUCCESS } from './quiet-parts.js';

/** A figure of the queue beside the same work without a host, and the least that the project wants. */
export interface QueueRow {
  readonly what: string;
  readonly host: string;
  readonly raw: string;
  readonly ratio: string;
  readonly wanted: string;
}

export interface QueueTable {
  readonly rows: readonly QueueRow[];
  /** Trivial work of a backlog, beside a loop over pg-boss on the same server. */
  readonly measureBacklog: (create: CreateDatabase, backlog: Backlog) => Promise<void>;
  /** Acceptance beside inserts of the same rows. */
  readonly measureAcceptance: (create: CreateDatabase) => Promise<void>;
  /** The first event of another scenario beside slow ones. */
  readonly measureFairness: (create: CreateDatabase, busy: Busy) => Promise<void>;
}

type CreateDatabase = () => Promise<BenchDatabase>;

export interface Backlog {
  readonly ordered: boolean;
  readonly keys: number;
  readonly waiting: number;
  readonly wanted: string;
}

export interface Busy {
  readonly keys: number;
  /** Waiting events per key. */
  readonly waiting: number;
  readonly wanted: string;
}

/** A rate is measured over so many events or so long, whichever ends first. */
const MAX_EVENTS = 10_000;
const MAX_MS = 15_000;
/** Response time of the slow API. */
const SLOW_MS = 5000;
const SENDERS = 32;
const CALLS = 1000;
const LATE_MS = 60_000;

interface Opened {
  readonly store: HostStore;
  readonly host: Host;
  readonly close: () => Promise<void>;
}

async function open(database: BenchDatabase, run: Flows['run']): Promise<Opened> {
  const store = await database.open();
  const queue = database.engine === 'sqlite' ? undefined : await createPostgresQueue({ url: database.at });
  const host = createHost({ store, queue, flows: { run }, receiver, limits: { maxQueued: 1_000_000 } });
  return {
    store,
    host,
    close: async () => {
      await host.stop(0);
      await store.close();
    },
  };
}

async function addScenario(
  host: Host,
  name: string,
  ordered: boolean,
): Promise<{ id: number; path: string }> {
  const { id, path } = await host.putHook({ name, app: name, webhook: 'w', kind: 'dedicated' });
  const settings = completeSettings({ scheduling: 'instant' });
  const plan = { settings, everyMs: undefined, ordered, answers: false, flow: null };
  await host.scenarios.put({ name, plan, hookId: id, tenant: name });
  return { id, path };
}

function newEvent(hookId: number): Omit<EventRow, 'id'> {
  return {
    ...{ hookId, scenarioId: null, status: 'pending', bundles: [{ n: 1 }], request: {}, bytes: 9 },
    ...{ attempts: 0, crashes: 0, crashesAlone: 0, notBeforeMs: null, turn: null, error: null },
    ...{ receivedAtMs: Date.now(), finishedAtMs: null },
  };
}

const STEP = 1000;

/** Inserts events in turns over the hooks. The start of the host wakes their keys. */
async function insertBacklog(store: HostStore, hookIds: readonly number[], count: number): Promise<void> {
  for (let start = 0; start < count; start += STEP) {
    const rows = Array.from({ length: Math.min(STEP, count - start) }, (_, index) =>
      newEvent(hookIds[(start + index) % hookIds.length] ?? 0),
    );
    await store.transaction((writer) => writer.insertAll('events', rows), { isolation: 'read-committed' });
  }
}

/** Events per second from the first finished one until a number is finished. */
async function measureRate(waiting: number, start: () => unknown, finished: () => number): Promise<number> {
  await start();
  while (finished() === 0) await sleep(1);
  const [before, startedAt] = [finished(), performance.now()];
  const most = Math.min(waiting, MAX_EVENTS);
  while (finished() < most && performance.now() - startedAt < MAX_MS) await sleep(1);
  return ((finished() - before) / (performance.now() - startedAt)) * 1000;
}

export function createQueueTable(load: Load): QueueTable {
  const rows: QueueRow[] = [];

  const add = (what: string, host: number, raw: number | undefined, wanted: string): void => {
    const ratio = raw === undefined ? '' : (host / raw).toFixed(2);
    const row = { what, host: host.toFixed(0), raw: raw?.toFixed(0) ?? '', ratio, wanted };
    rows.push(row);
    console.log(Object.values(row).join('  '));
  };

  async function measureHost(
    create: CreateDatabase,
    { ordered, keys, waiting }: Backlog,
  ): Promise<{ readonly engine: BenchDatabase['engine']; readonly rate: number }> {
    const database = await create();
    let [finished, disorders] = [0, 0];
    const latest = new Map<number, number>();
    const { store, host, close } = await open(database, async ({ source, scenario }: FlowRequest) => {
      finished++;
      if (source.kind !== 'event') return SUCCESS;
      if (source.event.id < (latest.get(scenario.id) ?? 0)) disorders++;
      latest.set(scenario.id, source.event.id);
      return SUCCESS;
    });
    const hookIds: number[] = [];
    for (let key = 0; key < keys; key++) hookIds.push((await addScenario(host, `key-${key}`, ordered)).id);
    await insertBacklog(store, hookIds, waiting);
    const rate = await measureRate(waiting, host.start, () => finished);
    await close();
    await database.drop();
    if (ordered && disorders > 0) throw new Error(`${disorders} events were out of order.`);
    return { engine: database.engine, rate };
  }

  async function measurePgBoss(create: CreateDatabase, { ordered, keys, waiting }: Backlog): Promise<number> {
    const database = await create();
    const loop = await openPgBossLoop(database.at, ordered);
    await loop.addAll(waiting, keys);
    const rate = await measureRate(waiting, loop.start, loop.finished);
    await loop.close();
    await database.drop();
    return rate;
  }

  return {
    rows,
    measureBacklog: async (create, backlog) => {
      const { engine, rate } = await measureHost(create, backlog);
      const raw = engine === 'postgres' ? await measurePgBoss(create, backlog) : undefined;
      const kind = backlog.ordered ? 'ordered' : 'unordered';
      add(
        `${engine} ${kind}, keys ${backlog.keys}, ${backlog.waiting} waiting: /s`,
        rate,
        raw,
        backlog.wanted,
      );
    },
    measureAcceptance: async (create) => {
      const database = await create();
      const { store, host, close } = await open(database, async () => SUCCESS);
      const { id, path } = await addScenario(host, 'accept', true);
      const { origin } = await host.listen();
      const ports = [Number(new URL(origin).port)];
      const accept = async (): Promise<number> => {
        const startedAt = performance.now();
        const { statuses } = await load.send({ ports, path, count: CALLS, concurrency: SENDERS });
        if (statuses['200'] !== CALLS) throw new Error(`Unexpected statuses: ${JSON.stringify(statuses)}.`);
        return (CALLS / (performance.now() - startedAt)) * 1000;
      };
      const insert = async (): Promise<number> => {
        const startedAt = performance.now();
        let left = CALLS;
        const sender = async (): Promise<void> => {
          while (left-- > 0) await store.transaction((writer) => writer.insert('events', newEvent(id)));
        };
        await Promise.all(Array.from({ length: SENDERS }, sender));
        return (CALLS / (performance.now() - startedAt)) * 1000;
      };
      await accept();
      await insert();
      add(
        `${database.engine} acceptance, ${SENDERS} senders: /s`,
        await accept(),
        await insert(),
        'ratio 0.6',
      );
      await close();
      await database.drop();
    },
    measureFairness: async (create, { keys, waiting, wanted }) => {
      for (const ordered of [false, true]) {
        const database = await create();
        const started = new Map<string, number>();
        const { store, host, close } = await open(database, async ({ scenario, signal }) => {
          started.set(scenario.name, performance.now());
          if (scenario.name !== 'other') await sleep(SLOW_MS, undefined, { signal });
          return SUCCESS;
        });
        const hookIds: number[] = [];
        for (let key = 0; key < keys; key++) hookIds.push((await addScenario(host, `busy-${key}`, false)).id);
        const { path } = await addScenario(host, 'other', ordered);
        await insertBacklog(store, hookIds, waiting * keys);
        await host.start();
        const { origin } = await host.listen();
        await sleep(SLOW_MS);
        const sentAt = performance.now();
        await load.send({ ports: [Number(new URL(origin).port)], path, count: 1, concurrency: 1 });
        while (!started.has('other') && performance.now() - sentAt < LATE_MS) await sleep(5);
        const waitedMs = (started.get('other') ?? performance.now()) - sentAt;
        const kind = ordered ? 'ordered' : 'unordered';
        add(
          `${database.engine} first ${kind} event beside ${keys} x ${waiting}: ms`,
          waitedMs,
          undefined,
          wanted,
        );
        await close();
        await database.drop();
      }
    },
  };
}
