import type { ScenarioState } from '../../scenario/scenario-state.js';
import type { HostContext } from '../context.js';
import { readState } from '../store/scenario-plan.js';
import { findStalled, LOOKED_AT } from './find-stalled.js';

/** Status of a host for people and load balancers. */
export interface Health {
  /**
   * `failing`: the store is unavailable or full. `stalled`: work of a scenario is overdue by more than `stalledMs`
   * without activity. `stopping`: the host accepts no more requests.
   */
  readonly status: 'ok' | 'failing' | 'stalled' | 'stopping';
  readonly events: { readonly pending: number; readonly running: number; readonly dead: number };
  /** Age of the oldest waiting event in milliseconds; null without waiting events. */
  readonly oldestPendingMs: number | null;
  readonly scenarios: { readonly active: number; readonly suspended: number; readonly inactive: number };
  /** Names of stalled scenarios. */
  readonly stalled: readonly string[];
  /** Names of scenarios that were deactivated automatically. */
  readonly off: readonly string[];
  /** The problem in words that are safe to publish. */
  readonly problem: string | null;
}

/** Result of the last write. A store may respond but reject writes. */
export interface StoreTrouble {
  readonly isFull: () => boolean;
}

const NONE: Omit<Health, 'status' | 'problem'> = {
  events: { pending: 0, running: 0, dead: 0 },
  oldestPendingMs: null,
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
  { store, clock, limits }: HostContext,
  isStopping: boolean,
  trouble: StoreTrouble,
): Promise<Health> {
  const nowMs = clock.now();
  const counts = await store.countBy('events', 'status', { status: ['pending', 'running', 'dead'] });
  const columns = ['receivedAtMs'] as const;
  const [oldest] = await store.find('events', { where: { status: 'pending' }, columns, limit: 1 });
  const scenarios = await store.find('scenarios', { columns: LOOKED_AT });
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
    oldestPendingMs: oldest === undefined ? null : Math.max(0, nowMs - oldest.receivedAtMs),
    scenarios: {
      active: count('active', 'running'),
      suspended: count('delayed', 'backoff'),
      inactive: count('inactive'),
    },
    stalled,
    off,
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
