import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { Agent, request } from 'undici';
import {
  createHost,
  createPostgresQueue,
  type HostStore,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { compileProcess } from './compile-process.js';
import { startDroppingProxy } from './dropping-proxy.js';
import { startOwnServer } from './own-server.js';
import { createDatabase, createFile, onServer, type TestDatabase } from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';
import { startWorker, type WorkerProcess } from './worker-process.js';

/**
 * A disturbance under load: a process is killed, or suspended for longer than the heartbeat and resumed; the database
 * closes all connections, or restarts; its responses are dropped. `all`: responses are dropped, the database restarts
 * four times while a process starts in place of a killed one, and a process is suspended for 45 s.
 */
export type Disturbance = 'kill' | 'stop' | 'terminate' | 'restart' | 'drop' | 'all';

export interface LoadSettings {
  readonly engine: 'sqlite' | 'postgres';
  readonly disturbance: Disturbance;
  readonly events: number;
  readonly hooks: number;
  readonly workers: number;
  /** Interval of the disturbance; another worker replaces a killed one. */
  readonly killEveryMs: number;
  /** Maximum number of disturbances: if workers start slower than they are killed, none would finish. */
  readonly maxKills: number;
  /** No events are sent after that time. Undefined: all are sent. */
  readonly sendForMs?: number | undefined;
  /** The run fails beyond that time. */
  readonly maxMs: number;
}

export interface LoadResult {
  readonly sent: number;
  /** Number of disturbances. */
  readonly kills: number;
  /** From the response to the first effect. */
  readonly longestWaitMs: number;
  /** Longest time in which a hook had acknowledged events and none of its events took effect. */
  readonly longestStallMs: number;
  /** Hooks with a stall of more than 15 s. */
  readonly stalledHooks: number;
  /** Processes that ended although nothing killed them. */
  readonly exited: number;
  /** Acknowledged events without an effect. */
  readonly lost: number;
  /** Effects of a hook that came after a later one. */
  readonly orderBreaks: number;
  /** Repeated effects of events. */
  readonly repeated: number;
  /** Repeated effects whose first effect was not the last action of a killed process for the hook. */
  readonly unexplained: number;
  /** Events that were stored, sent again without a response, and stored again. */
  readonly sentTwice: number;
  /** Events that are neither done nor dead at the end. */
  readonly open: number;
  readonly dead: number;
}

/** Longer than the heartbeat of the queue on PostgreSQL. */
const STOPPED_MS = 14_000;
const LONG_STOPPED_MS = 45_000;
/** The longest stall of a hook that the project accepts. */
const STALL_MS = 15_000;
const RESTARTS = 4;
const DROPS = 20;

interface Effect {
  readonly hook: string;
  readonly n: number;
  readonly attempt: number;
  readonly eventId: number;
  readonly pid: number;
  readonly atMs: number;
}

/** Sends events through worker processes under a disturbance, and evaluates the effects. */
export async function runLoad(settings: LoadSettings): Promise<LoadResult> {
  const { engine, hooks } = settings;
  const script = await compileProcess('host-worker');
  const database = await openTarget(settings);
  const folder = await createFile();
  const effects = path.join(folder.name, 'effects.log');
  const store =
    engine === 'sqlite'
      ? await openHostSqlite({ file: database.at })
      : await openHostPostgres({ url: database.at });
  try {
    const paths = await makeHooks(store, settings, database.at);
    const fleet = await startFleet(settings, database, () =>
      startWorker(script, { engine, at: database.workersAt, effects, hooks: 0, concurrency: 32 }),
    );
    const endMs = Date.now() + settings.maxMs;
    const work = async () => {
      const sent = await sendAll(settings, paths, fleet, endMs);
      // A restarting database is unavailable for a moment.
      while ((await openEvents(store).catch(() => 1)) > 0 && Date.now() < endMs) await sleep(250);
      return sent;
    };
    // Remaining workers would use the files of the next run.
    const acknowledged = await work().finally(fleet.stop);
    const lines = (await readFile(effects, 'utf8')).trimEnd().split('\n').map(effectOf);
    const open = await openEvents(store);
    const judged = judge(lines, acknowledged, fleet);
    return {
      ...judged,
      // Events that still wait at the end are late, not lost.
      lost: Math.max(0, judged.lost - open),
      sent: acknowledged.length,
      kills: fleet.disturbed(),
      exited: fleet.exited(),
      open,
      dead: await store.count('events', { status: 'dead' }),
    };
  } finally {
    await store.close();
    await database.drop();
    await folder.drop();
  }
  function effectOf(line: string): Effect {
    const [hook = '', n, attempt, eventId, pid, atMs] = line.split(' ');
    return {
      hook,
      n: Number(n),
      attempt: Number(attempt),
      eventId: Number(eventId),
      pid: Number(pid),
      atMs: Number(atMs),
    };
  }
  async function makeHooks(
    store: HostStore,
    { engine }: LoadSettings,
    url: string,
  ): Promise<readonly string[]> {
    const queue = engine === 'postgres' ? await createPostgresQueue({ url }) : undefined;
    const host = createHost({ store, queue, receiver: receiveJson, flows: flowsOf(() => SUCCESS) });
    const limit = pLimit(8);
    const paths = await Promise.all(
      Array.from({ length: hooks }, (_, index) =>
        limit(async () => {
          const name = `hook-${index}`;
          const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
          await host.scenarios.put({ name, plan: plan({ ordered: true }), hookId: hook.id });
          return hook.path;
        }),
      ),
    );
    await queue?.close();
    return paths;
  }
}

interface Target extends TestDatabase {
  /** The database address for the workers. */
  readonly workersAt: string;
  /** Undefined if the disturbance affects a process. */
  readonly disturb: (() => Promise<void>) | undefined;
  readonly restart?: () => Promise<void>;
}

/** The database of a run, with its disturbance. */
async function openTarget({ engine, disturbance }: LoadSettings): Promise<Target> {
  if (engine === 'sqlite') {
    const file = await createFile();
    return { ...file, workersAt: file.at, disturb: undefined };
  }
  if (disturbance === 'restart' || disturbance === 'all') {
    const server = await startOwnServer();
    const restart = (): Promise<void> => server.restart('immediate');
    const target = { name: 'postgres', at: server.url };
    if (disturbance === 'restart') {
      return { ...target, workersAt: server.url, disturb: restart, drop: server.remove };
    }
    const proxy = await startDroppingProxy(server.url, Math.random);
    const disturb = async (): Promise<void> => {
      for (let n = 0; n < DROPS; n++) proxy.dropOne();
    };
    const drop = (): Promise<void> => proxy.close().then(server.remove);
    return { ...target, workersAt: proxy.url, disturb, restart, drop };
  }
  const database = await createDatabase();
  if (disturbance === 'drop') {
    const proxy = await startDroppingProxy(database.at, Math.random);
    const drop = (): Promise<void> => proxy.close().then(database.drop);
    return { ...database, workersAt: proxy.url, disturb: async () => proxy.dropOne(), drop };
  }
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`;
  const disturb = disturbance === 'terminate' ? () => onServer(end) : undefined;
  return { ...database, workersAt: database.at, disturb };
}

function openEvents(store: HostStore): Promise<number> {
  return store.count('events', { status: ['pending', 'running'] });
}

interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Fleet {
  readonly origin: () => Promise<string>;
  /** The time at which each process was killed. */
  readonly killed: ReadonlyMap<number, number>;
  readonly disturbed: () => number;
  readonly exited: () => number;
  /** When the database restarted. */
  readonly outages: readonly Outage[];
  readonly stop: () => Promise<void>;
}

async function startFleet(
  { workers, killEveryMs, maxKills, disturbance }: LoadSettings,
  { disturb, restart }: Target,
  start: () => Promise<WorkerProcess | undefined>,
): Promise<Fleet> {
  const killed = new Map<number, number>();
  const first = await Promise.all(Array.from({ length: workers }, start));
  let alive = first.filter((worker) => worker !== undefined);
  let isOver = false;
  let next = 0;
  let count = 0;
  let exited = 0;
  const stop = async (ms: number): Promise<void> => {
    const [victim, ...rest] = alive;
    if (victim === undefined) return;
    // Like a load balancer, senders avoid a process that does not respond.
    alive = rest;
    victim.child.kill('SIGSTOP');
    await sleep(ms);
    victim.child.kill('SIGCONT');
    alive = [...alive, victim];
  };
  const kill = async (meanwhile?: () => Promise<void>): Promise<void> => {
    const [victim, ...rest] = alive;
    if (victim === undefined) return;
    alive = rest;
    killed.set(victim.child.pid ?? 0, Date.now());
    victim.child.kill('SIGKILL');
    const [started] = await Promise.all([start().catch(() => undefined), meanwhile?.()]);
    // It may end before it is ready, while the database restarts.
    const fresh = started ?? (await start());
    if (fresh !== undefined) alive = [...alive, fresh];
  };
  const outages: Outage[] = [];
  const restartOften = async (): Promise<void> => {
    const fromMs = Date.now();
    for (let n = 0; n < RESTARTS; n++) await restart?.();
    outages.push({ fromMs, toMs: Date.now() });
  };
  const faults: Readonly<Record<Disturbance, readonly (() => Promise<void> | undefined)[]>> = {
    kill: [() => kill()],
    stop: [() => stop(STOPPED_MS)],
    all: [() => disturb?.(), () => kill(restartOften), () => stop(LONG_STOPPED_MS), () => kill()],
    ...{ terminate: [() => disturb?.()], restart: [() => disturb?.()], drop: [() => disturb?.()] },
  };
  const own = faults[disturbance];
  const killing = (async () => {
    while (count < maxKills && !isOver) {
      await sleep(killEveryMs);
      if (isOver) break;
      await own[count % own.length]?.();
      count++;
    }
  })();
  return {
    killed,
    outages,
    disturbed: () => count,
    exited: () => exited,
    origin: async () => {
      while (alive.length === 0) await sleep(20);
      return alive[next++ % alive.length]?.origin ?? '';
    },
    stop: async () => {
      isOver = true;
      await killing;
      const left = alive;
      alive = [];
      exited = left.filter(({ child }) => child.exitCode !== null).length;
      await Promise.all(left.map((worker) => worker.stop()));
    },
  };
}

interface Sending {
  readonly hook: string;
  readonly n: number;
  readonly attempt: number;
  /** Time of its response. */
  readonly atMs: number;
}

/** Each hook receives its events in sequence; many hooks receive theirs in parallel. */
async function sendAll(
  { events, hooks, sendForMs = Number.POSITIVE_INFINITY }: LoadSettings,
  paths: readonly string[],
  fleet: Fleet,
  endMs: number,
): Promise<readonly Sending[]> {
  const agent = new Agent({ connections: 100, pipelining: 1 });
  const limit = pLimit(200);
  const acknowledged: Sending[] = [];
  const perHook = Math.floor(events / hooks);
  const lastMs = Date.now() + sendForMs;
  await Promise.all(
    paths.map((at, index) =>
      limit(async () => {
        for (let n = 1; n <= perHook && Date.now() < lastMs; n++) {
          for (let attempt = 1; ; attempt++) {
            if (Date.now() > endMs) throw new Error('The events were not accepted in time.');
            const body = JSON.stringify({ n, attempt });
            const origin = await fleet.origin();
            const answer = await request(`${origin}${at}`, { method: 'POST', body, dispatcher: agent }).catch(
              () => undefined,
            );
            await answer?.body.dump().catch(() => {});
            if (answer?.statusCode === 200) {
              acknowledged.push({ hook: `hook-${index}`, n, attempt, atMs: Date.now() });
              break;
            }
            await sleep(20);
          }
        }
      }),
    ),
  );
  await agent.close();
  return acknowledged;
}

function judge(
  effects: readonly Effect[],
  acknowledged: readonly Sending[],
  { killed, outages }: Pick<Fleet, 'killed' | 'outages'>,
): Omit<LoadResult, 'sent' | 'kills' | 'exited' | 'open' | 'dead'> {
  const keyOf = ({ hook, n, attempt }: Sending | Effect): string => `${hook} ${n} ${attempt}`;
  const done = new Map(effects.toReversed().map((effect) => [keyOf(effect), effect.atMs]));
  const waits = acknowledged.map((sending) => (done.get(keyOf(sending)) ?? 0) - sending.atMs);
  const latest = new Map<string, number>();
  const byEvent = new Map<number, Effect>();
  let [orderBreaks, repeated] = [0, 0];
  for (const effect of effects) {
    const { hook, n, eventId } = effect;
    const isRepeated = byEvent.has(eventId);
    byEvent.set(eventId, effect);
    if (isRepeated) repeated++;
    // A process repeats what another one had not committed, in order.
    else if (n < (latest.get(hook) ?? 0)) orderBreaks++;
    latest.set(hook, Math.max(n, latest.get(hook) ?? 0));
  }
  const stalls = [...longestStalls(effects, acknowledged, { keyOf, outages }).values()];
  return {
    orderBreaks,
    repeated,
    unexplained: countUnexplained(effects, killed),
    lost: acknowledged.filter((sending) => !done.has(keyOf(sending))).length,
    longestWaitMs: Math.max(0, ...waits),
    longestStallMs: Math.max(0, ...stalls),
    stalledHooks: stalls.filter((ms) => ms > STALL_MS).length,
    sentTwice: Math.max(0, byEvent.size - acknowledged.filter((sending) => done.has(keyOf(sending))).length),
  };
}

/** Repeated effects other than the last ones of a killed process, whose results were not stored. */
function countUnexplained(effects: readonly Effect[], killed: ReadonlyMap<number, number>): number {
  const times = new Map<number, number>();
  const firstsOf = new Map<string, Effect[]>();
  for (const effect of effects) {
    const count = times.get(effect.eventId) ?? 0;
    times.set(effect.eventId, count + 1);
    if (count > 0) continue;
    const process = `${effect.hook} ${effect.pid}`;
    const known = firstsOf.get(process);
    if (known === undefined) firstsOf.set(process, [effect]);
    else known.push(effect);
  }
  const isRepeated = ({ eventId }: Effect): boolean => (times.get(eventId) ?? 0) > 1;
  return [...firstsOf.values()].reduce((sum, firsts) => {
    const lastStored = firsts.findLastIndex((effect) => !isRepeated(effect));
    const isExplained = ({ pid }: Effect, index: number): boolean => killed.has(pid) && index > lastStored;
    return sum + firsts.filter((effect, index) => isRepeated(effect) && !isExplained(effect, index)).length;
  }, 0);
}

/** The longest stall of each hook, without the time in which the database restarted. */
function longestStalls(
  effects: readonly Effect[],
  acknowledged: readonly Sending[],
  {
    keyOf,
    outages,
  }: {
    readonly keyOf: (one: Sending | Effect) => string;
    readonly outages: readonly Outage[];
  },
): ReadonlyMap<string, number> {
  const acknowledgedMs = new Map(acknowledged.map((sending) => [keyOf(sending), sending.atMs]));
  const lastMs = new Map<string, number>();
  const longest = new Map<string, number>();
  const seen = new Set<number>();
  for (const effect of effects.toSorted((a, b) => a.atMs - b.atMs)) {
    const { hook, atMs, eventId } = effect;
    // A suspended process finishes its event late, which another one has processed. The hook did not wait for it.
    if (seen.has(eventId)) continue;
    seen.add(eventId);
    const waitsSince = acknowledgedMs.get(keyOf(effect)) ?? atMs;
    const sinceMs = Math.max(waitsSince, lastMs.get(hook) ?? 0);
    const awayMs = outages.reduce(
      (sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(atMs, toMs) - Math.max(sinceMs, fromMs)),
      0,
    );
    longest.set(hook, Math.max(longest.get(hook) ?? 0, atMs - sinceMs - awayMs));
    lastMs.set(hook, atMs);
  }
  return longest;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
