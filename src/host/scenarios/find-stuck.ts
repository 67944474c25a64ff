import { nextStart } from '../../scenario/scenario-state.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostStore, ScenarioRow } from '../store/tables.js';

/** Waiting work and its wait reason. */
export interface Stuck {
  readonly scenario: string;
  /** Number of waiting events. */
  readonly waiting: number;
  /** Age of the oldest one in milliseconds; null without waiting events. */
  readonly oldestMs: number | null;
  /** The wait reason in words, and how to resolve it. */
  readonly why: string;
}

/** A working host starts due work immediately. After this delay, something is wrong. */
const LATE_MS = 30_000;

/** Lists work that waits and why, to find out where an event is. */
export async function findStuck(store: HostStore, nowMs: number): Promise<readonly Stuck[]> {
  const scenarios = await store.find('scenarios', { sortBy: 'name' });
  const waiting = await store.countBy('events', 'hookId', { status: 'pending' });
  const dead = await store.countBy('events', 'hookId', { status: 'dead' });
  const unresolved = await store.countBy('incompletes', 'scenarioId', { status: 'unresolved' });
  const running = await store.countBy('events', 'hookId', { status: 'running' });
  const stuck: Stuck[] = [];
  for (const row of scenarios) {
    const count = waiting.get(row.hookId ?? 0) ?? 0;
    const oldestMs = count === 0 || row.hookId === null ? null : await ageOfOldest(store, row.hookId, nowMs);
    const reasons = [
      whyItRests(row, nowMs, unresolved.get(row.id) ?? 0, count) ??
        whyItIsLate({ oldestMs, running: running.get(row.hookId ?? 0) ?? 0 }),
      describeCount(dead.get(row.hookId ?? 0), 'dead event', 'iml events replay or discard'),
      describeCount(unresolved.get(row.id), 'unresolved execution', 'iml scenarios retry or discard'),
    ];
    const why = reasons.filter((reason) => reason !== undefined).join('; ');
    if (why !== '') stuck.push({ scenario: row.name, waiting: count, oldestMs, why });
  }
  return stuck;
}

function describeCount(count: number | undefined, what: string, remedy: string): string | undefined {
  return count === undefined ? undefined : `${count} ${what}${count === 1 ? '' : 's'} (${remedy})`;
}

function whyItRests(
  row: ScenarioRow,
  nowMs: number,
  unresolved: number,
  waiting: number,
): string | undefined {
  const state = readState(row);
  const { settings } = readPlan(row);
  if (state.kind === 'inactive') return `off (${state.reason}); iml scenarios on starts it`;
  if (state.kind === 'delayed' && state.untilMs > nowMs)
    return `suspended until ${formatTime(state.untilMs)}`;
  if (state.kind === 'backoff')
    return `backing off, attempt ${state.attempt}, next ${formatTime(state.untilMs)}`;
  const start = nextStart(state, settings, { kind: 'run', nowMs, unresolved });
  if (start.kind === 'wait') return 'sequential: it waits for an execution to be resolved';
  if (waiting === 0 || settings.scheduling !== 'timed') return undefined;
  return row.nextRunMs === null ? undefined : `takes what waits at ${formatTime(row.nextRunMs)}`;
}

/** Why startable work is late. */
function whyItIsLate({
  oldestMs,
  running,
}: {
  readonly oldestMs: number | null;
  readonly running: number;
}): string | undefined {
  if (oldestMs === null) return undefined;
  if (oldestMs < LATE_MS) return undefined;
  return running === 0
    ? 'due, and no host works on it: start iml serve, or see its /health'
    : `late, ${running} of it under way`;
}

async function ageOfOldest(store: HostStore, hookId: number, nowMs: number): Promise<number | null> {
  const columns = ['receivedAtMs'] as const;
  const [event] = await store.find('events', { where: { hookId, status: 'pending' }, columns, limit: 1 });
  return event === undefined ? null : Math.max(0, nowMs - event.receivedAtMs);
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
