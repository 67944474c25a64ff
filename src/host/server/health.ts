import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import type { HostContext } from '../ports/context.js';
import { readState } from '../store/scenario-plan.js';
import { findStalled, LOOKED_AT } from './find-stalled.js';

/** How a host is, for people and for load balancers. */
export interface Health {
  /**
   * `failing`: the store does not answer, or has no room. `stalled`: work of some scenario is due for longer than
   * `stalledMs`, and nothing of it is under way nor has ended meanwhile. `stopping`: no more requests, please.
   */
  readonly status: 'ok' | 'failing' | 'stalled' | 'stopping';
  readonly events: { readonly pending: number; readonly running: number; readonly dead: number };
  /** Milliseconds since the oldest event that waits came in; null where none waits. */
  readonly oldestPendingMs: number | null;
  readonly scenarios: { readonly active: number; readonly suspended: number; readonly inactive: number };
  /** Names of the scenarios that are stalled. */
  readonly stalled: readonly string[];
  /** Names of the scenarios that went off by themselves: after errors, or as there was no room. */
  readonly off: readonly string[];
  /** What is wrong, without details a stranger should not read. */
  readonly problem: string | null;
}

/** What the last attempt to store something said; a store may answer and take nothing. */
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
  if (isFull) return 'The store has no room.';
  return stalled > 0 ? 'Work is due and nobody does it.' : null;
}
