import { nextStart } from '../../scenario/state/next-start.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostReader, ScenarioRow } from '../store/tables.js';
import type { HostContext } from '../work/context.js';

/** How a host is, for people and for load balancers. */
export interface Health {
  /**
   * `failing`: the store does not answer, or has no room. `stalled`: work of some scenario is due for longer than the
   * lease, and nothing of it is under way nor has ended meanwhile. `stopping`: no more requests, please.
   */
  readonly status: 'ok' | 'failing' | 'stalled' | 'stopping';
  readonly workers: number;
  readonly events: { readonly pending: number; readonly running: number; readonly dead: number };
  /** Milliseconds since the oldest event that waits came in; null where none waits. */
  readonly oldestPendingMs: number | null;
  readonly scenarios: { readonly active: number; readonly suspended: number; readonly inactive: number };
  /** Names of the scenarios that are stalled. */
  readonly stalled: readonly string[];
  /** What is wrong, without details a stranger should not read. */
  readonly problem: string | null;
}

/** Something that is due and waits. */
export interface Waiting {
  readonly scenario: string;
  readonly hookId: number | null;
  /** Milliseconds since it was due. */
  readonly sinceMs: number;
}

/** What the last attempt to store something said; a store may answer and take nothing. */
export interface StoreTrouble {
  readonly isFull: () => boolean;
}

const NONE: Omit<Health, 'status' | 'problem'> = {
  workers: 0,
  events: { pending: 0, running: 0, dead: 0 },
  oldestPendingMs: null,
  scenarios: { active: 0, suspended: 0, inactive: 0 },
  stalled: [],
};

/** How long a store may take to say how things are; whoever asks does not wait for ever either. */
const ANSWER_MS = 5000;

/** Asks the store how things are. Never throws. */
export async function readHealth(
  context: HostContext,
  isStopping: boolean,
  trouble: StoreTrouble,
): Promise<Health> {
  const failing: Health = { ...NONE, status: 'failing', problem: 'The store does not answer.' };
  let cancel: () => void = () => {};
  const late = new Promise<Health>((resolve) => {
    cancel = context.clock.after(ANSWER_MS, () => resolve(failing));
  });
  const read = readAll(context, isStopping, trouble).catch((error: unknown) => {
    context.onError(error);
    return failing;
  });
  return Promise.race([read, late]).finally(() => cancel());
}

async function readAll(
  { store, clock, limits }: HostContext,
  isStopping: boolean,
  trouble: StoreTrouble,
): Promise<Health> {
  const nowMs = clock.now();
  const counts = await store.countBy('events', 'status', { status: ['pending', 'running', 'dead'] });
  const columns = ['receivedAtMs'] as const;
  const [oldest] = await store.find('events', { where: { status: 'pending' }, columns, limit: 1 });
  const scenarios = await store.find('scenarios');
  const states = scenarios.map((row) => readState(row).kind);
  const count = (...kinds: readonly string[]): number => states.filter((kind) => kinds.includes(kind)).length;
  const waiting = await findStalled(store, scenarios, nowMs, limits.leaseMs);
  const stalled = waiting.map(({ scenario }) => scenario);
  const status = trouble.isFull() ? 'failing' : stalled.length > 0 ? 'stalled' : 'ok';
  return {
    status: isStopping ? 'stopping' : status,
    workers: await store.count('workers'),
    events: {
      pending: counts.get('pending') ?? 0,
      running: counts.get('running') ?? 0,
      dead: counts.get('dead') ?? 0,
    },
    oldestPendingMs: oldest === undefined ? null : Math.max(0, nowMs - oldest.receivedAtMs),
    scenarios: {
      active: count('active', 'running'),
      suspended: count('delayed', 'backoff'),
      inactive: count('inactive'),
    },
    stalled,
    problem: describeProblem(trouble.isFull(), stalled.length),
  };
}

function describeProblem(isFull: boolean, stalled: number): string | null {
  if (isFull) return 'The store has no room.';
  return stalled > 0 ? 'Work is due and nobody does it.' : null;
}

/** Scenarios that may start, have had something due for a time, and neither do nor have done anything in it. */
async function findStalled(
  reader: HostReader,
  scenarios: readonly ScenarioRow[],
  nowMs: number,
  afterMs: number,
): Promise<readonly Waiting[]> {
  const dueMs = nowMs - afterMs;
  const able = scenarios.filter((row) => {
    const { settings } = readPlan(row);
    return (
      row.claimedBy === null && nextStart(readState(row), settings, { kind: 'run', nowMs }).kind === 'now'
    );
  });
  const hookIds = able.flatMap(({ hookId }) => (hookId === null ? [] : [hookId]));
  const busy = new Set(
    hookIds.length === 0
      ? []
      : await reader.distinct('events', 'hookId', { status: 'running', hookId: hookIds }),
  );
  const waiting = new Set(
    hookIds.length === 0
      ? []
      : await reader.distinct('events', 'hookId', { status: 'pending', hookId: hookIds }),
  );
  const stalled: Waiting[] = [];
  for (const row of able) {
    const { name, hookId, nextRunMs, lastRunMs } = row;
    const isBusy = (hookId !== null && busy.has(hookId)) || (lastRunMs ?? 0) > dueMs;
    if (isBusy) continue;
    const isTimed = readPlan(row).settings.scheduling === 'timed';
    const sinceMs = isTimed
      ? nextRunMs
      : hookId !== null && waiting.has(hookId)
        ? await firstDue(reader, hookId)
        : null;
    if (sinceMs !== null && sinceMs <= dueMs)
      stalled.push({ scenario: name, hookId, sinceMs: nowMs - sinceMs });
  }
  return stalled;
}

async function firstDue(reader: HostReader, hookId: number): Promise<number | null> {
  const columns = ['receivedAtMs', 'notBeforeMs'] as const;
  const [event] = await reader.find('events', { where: { hookId, status: 'pending' }, columns, limit: 1 });
  return event === undefined ? null : (event.notBeforeMs ?? event.receivedAtMs);
}
