import {
  nextStart,
  type ScenarioSettings,
  type ScenarioState,
  type StartKind,
} from '../../scenario/scenario-state.js';
import type { Where } from '../../shared/store/record-store.js';
import type { HostContext } from '../context.js';
import type { HeldSlots } from '../queue/host-queue.js';
import { scenarioIdOf } from '../queue/scenario-keys.js';
import { readPlans, readState } from '../store/scenario-plan.js';
import type { HostReader, IncompleteRow, ScenarioRow } from '../store/tables.js';
import { OPEN_INCOMPLETES } from '../work/claim.js';

/** Options of `findStalled`. */
interface StalledOptions {
  readonly nowMs: number;
  readonly afterMs: number;
}

/** Columns to read. The plan may be large and is left out. */
const LOOKED_AT = ['name', 'hookId', 'isTimed', 'state', 'crashes', 'lastRunMs', 'nextRunMs'] as const;

type LookedAt = Pick<ScenarioRow, 'id' | (typeof LOOKED_AT)[number]>;

/**
 * Names of startable scenarios with overdue work and no activity since. Excludes scenarios that wait for a person.
 */
async function findStalled(
  reader: HostReader,
  scenarios: readonly LookedAt[],
  { nowMs, afterMs }: StalledOptions,
): Promise<readonly string[]> {
  const dueMs = nowMs - afterMs;
  const idle = scenarios.filter((row) => row.crashes === 0 && (row.lastRunMs ?? 0) <= dueMs);
  const waiting = await readWaiting(reader, idle, dueMs);
  const late = idle.filter((row) => mayBeLate(row, waiting, dueMs));
  const plans = await readPlans(reader, late);
  const sequential = late.filter(({ id }) => plans.get(id)?.settings.sequential === true);
  const unresolved = await countUnresolved(reader, sequential);
  const stalled: string[] = [];
  for (const row of late) {
    const plan = plans.get(row.id);
    if (plan === undefined) continue;
    const { settings } = plan;
    const start = { nowMs, unresolved: unresolved.get(row.id) ?? 0 };
    const may = (kind: StartKind): boolean =>
      nextStart(readState(row), settings, { kind, ...start }).kind === 'now';
    const hasRetry = waiting.retries.has(row.id) && may('retry');
    const isDue = hasRetry || (may('run') && (await hasRunDue(reader, row, { settings, waiting, dueMs })));
    if (isDue) stalled.push(row.name);
  }
  return stalled;
}

interface WaitingWork {
  /** Hooks with waiting events. */
  readonly hookIds: ReadonlySet<number | null>;
  /** Hooks with running events. */
  readonly running: ReadonlySet<number | null>;
  /** Scenarios with overdue retries. */
  readonly retries: ReadonlySet<number>;
  /** Scenarios with running retries. */
  readonly retrying: ReadonlySet<number>;
}

async function readWaiting(
  reader: HostReader,
  idle: readonly LookedAt[],
  dueMs: number,
): Promise<WaitingWork> {
  const hookId = idle.map((row) => row.hookId).filter((id) => id !== null);
  const withEvents = async (status: 'pending' | 'running'): Promise<Iterable<number>> =>
    hookId.length === 0 ? [] : (await reader.countBy('events', 'hookId', { status, hookId })).keys();
  const withRetries = async (where: Where<IncompleteRow>): Promise<Iterable<number>> =>
    (await reader.countBy('incompletes', 'scenarioId', where)).keys();
  const due = { status: 'waiting', retryAtMs: { atMost: dueMs } } as const;
  return {
    hookIds: new Set(await withEvents('pending')),
    running: new Set(await withEvents('running')),
    retries: new Set(await withRetries(due)),
    retrying: new Set(await withRetries({ status: 'running' })),
  };
}

/** An estimate without the plan. */
function mayBeLate({ id, hookId, nextRunMs }: LookedAt, waiting: WaitingWork, dueMs: number): boolean {
  if (waiting.running.has(hookId) || waiting.retrying.has(id)) return false;
  const isRunDue = nextRunMs !== null && nextRunMs <= dueMs;
  return isRunDue || waiting.retries.has(id) || waiting.hookIds.has(hookId);
}

/** Unresolved incomplete executions per scenario. */
async function countUnresolved(
  reader: HostReader,
  scenarios: readonly LookedAt[],
): Promise<ReadonlyMap<number, number>> {
  if (scenarios.length === 0) return new Map();
  const open = { scenarioId: scenarios.map(({ id }) => id), status: OPEN_INCOMPLETES };
  return reader.countBy('incompletes', 'scenarioId', open);
}

interface RunDueOptions {
  readonly settings: ScenarioSettings;
  readonly waiting: WaitingWork;
  readonly dueMs: number;
}

async function hasRunDue(
  reader: HostReader,
  { hookId, nextRunMs }: LookedAt,
  { settings, waiting, dueMs }: RunDueOptions,
): Promise<boolean> {
  if (settings.scheduling === 'timed') return nextRunMs !== null && nextRunMs <= dueMs;
  if (hookId === null || !waiting.hookIds.has(hookId)) return false;
  const columns = ['receivedAtMs', 'notBeforeMs'] as const;
  const [event] = await reader.find('events', { where: { hookId, status: 'pending' }, columns, limit: 1 });
  return event !== undefined && (event.notBeforeMs ?? event.receivedAtMs) <= dueMs;
}

/** Status of a host for people and load balancers. */
export interface Health {
  /**
   * `failing`: the store is unavailable or full. `stalled`: work of a scenario is overdue by more than `stalledMs`
   * without activity. `stopping`: the host accepts no more requests.
   */
  readonly status: 'ok' | 'failing' | 'stalled' | 'stopping';
  readonly events: { readonly pending: number; readonly running: number; readonly dead: number };
  /**
   * Age of the oldest waiting event in milliseconds; null without waiting events. Events of scheduled scenarios wait by
   * design and do not count.
   */
  readonly oldestPendingMs: number | null;
  /** Concurrent runs of this process, and the scenarios that hold most of them. */
  readonly slots: { readonly total: number; readonly used: number; readonly holders: readonly SlotHolder[] };
  readonly scenarios: { readonly active: number; readonly suspended: number; readonly inactive: number };
  /** Names of stalled scenarios. */
  readonly stalled: readonly string[];
  /** Names of scenarios that were deactivated automatically. */
  readonly off: readonly string[];
  /** The problem in words that are safe to publish. */
  readonly problem: string | null;
}

/** A scenario and the slots that its runs hold in this process. */
export interface SlotHolder {
  readonly scenario: string;
  readonly tenant: string;
  readonly slots: number;
}

/** Number of reported scenarios. */
const MAX_HOLDERS = 5;

function describeSlots(
  held: readonly HeldSlots[],
  scenarios: readonly LookedAt[],
  total: number,
): Health['slots'] {
  const names = new Map(scenarios.map(({ id, name }) => [id, name]));
  const holders = held
    .map(({ key, tenant, slots }) => ({ scenario: names.get(scenarioIdOf(key)) ?? key, tenant, slots }))
    .toSorted((a, b) => b.slots - a.slots);
  const used = holders.reduce((sum, { slots }) => sum + slots, 0);
  return { total, used, holders: holders.slice(0, MAX_HOLDERS) };
}

/** Hooks per statement. */
const STEP = 200;

/** When the oldest event was received that does not wait for a schedule. */
async function findOldest(reader: HostReader, scenarios: readonly LookedAt[]): Promise<number | undefined> {
  const hookIds = scenarios.flatMap(({ hookId, isTimed }) => (hookId === null || isTimed ? [] : [hookId]));
  let oldestMs: number | undefined;
  for (let start = 0; start < hookIds.length; start += STEP) {
    const firsts = await reader.firstOf('events', {
      column: 'hookId',
      values: hookIds.slice(start, start + STEP),
      where: [{ status: 'pending' }],
      columns: ['receivedAtMs'],
    });
    oldestMs = Math.min(oldestMs ?? Number.POSITIVE_INFINITY, ...firsts.map((one) => one.receivedAtMs));
  }
  return oldestMs === Number.POSITIVE_INFINITY ? undefined : oldestMs;
}

/** Result of the last write. A store may respond but reject writes. */
export interface StoreTrouble {
  readonly isFull: () => boolean;
}

const NONE: Omit<Health, 'status' | 'problem'> = {
  events: { pending: 0, running: 0, dead: 0 },
  oldestPendingMs: null,
  slots: { total: 0, used: 0, holders: [] },
  scenarios: { active: 0, suspended: 0, inactive: 0 },
  stalled: [],
  off: [],
};

/** Time limit for the queries of the status. */
const ANSWER_MS = 5000;

/** Reads the status from the store. Never throws. */
export async function readHealth(
  context: HostContext,
  isStopping: boolean,
  trouble: StoreTrouble,
): Promise<Health> {
  const failing: Health = { ...NONE, status: 'failing', problem: 'The store is unavailable.' };
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
  { store, queue, clock, limits }: HostContext,
  isStopping: boolean,
  trouble: StoreTrouble,
): Promise<Health> {
  const nowMs = clock.now();
  const counts = await store.countBy('events', 'status', { status: ['pending', 'running', 'dead'] });
  const scenarios = await store.find('scenarios', { columns: LOOKED_AT });
  const oldestMs = await findOldest(store, scenarios);
  const states = scenarios.map((row) => readState(row).kind);
  const off = scenarios.filter((row) => wentOff(readState(row))).map(({ name }) => name);
  const count = (...kinds: readonly string[]): number => states.filter((kind) => kinds.includes(kind)).length;
  const stalled = await findStalled(store, scenarios, { nowMs, afterMs: limits.stalledMs });
  const status = trouble.isFull() ? 'failing' : stalled.length > 0 ? 'stalled' : 'ok';
  return {
    status: isStopping ? 'stopping' : status,
    events: {
      pending: counts.get('pending') ?? 0,
      running: counts.get('running') ?? 0,
      dead: counts.get('dead') ?? 0,
    },
    oldestPendingMs: oldestMs === undefined ? null : Math.max(0, nowMs - oldestMs),
    scenarios: {
      active: count('active', 'running'),
      suspended: count('delayed', 'backoff'),
      inactive: count('inactive'),
    },
    stalled,
    off,
    slots: describeSlots(queue.held(), scenarios, limits.concurrency),
    problem: describeProblem(trouble.isFull(), stalled.length),
  };
}

function wentOff(state: ScenarioState): boolean {
  return state.kind === 'inactive' && state.reason !== 'by-hand';
}

function describeProblem(isFull: boolean, stalled: number): string | null {
  if (isFull) return 'The store is full.';
  return stalled > 0 ? 'Due work is not being processed.' : null;
}
