import type { ScenarioSettings } from '../../scenario/scenario-settings.js';
import { nextStart, type StartKind } from '../../scenario/scenario-state.js';
import { readPlans, readState } from '../store/scenario-plan.js';
import type { HostReader, ScenarioRow } from '../store/tables.js';
import { OPEN_INCOMPLETES } from '../work/claim.js';

/** Options of `findStalled`. */
export interface StalledOptions {
  readonly nowMs: number;
  readonly afterMs: number;
}

/** Columns to read. The plan may be large and is left out. */
export const LOOKED_AT = ['name', 'hookId', 'state', 'crashes', 'lastRunMs', 'nextRunMs'] as const;

export type LookedAt = Pick<ScenarioRow, 'id' | (typeof LOOKED_AT)[number]>;

/**
 * Names of startable scenarios with overdue work and no activity since. Excludes scenarios that wait for a person.
 */
export async function findStalled(
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
  const withEvents = (status: 'pending' | 'running'): Promise<readonly number[]> | readonly number[] =>
    hookId.length === 0 ? [] : reader.distinct('events', 'hookId', { status, hookId });
  const due = { status: 'waiting', retryAtMs: { atMost: dueMs } } as const;
  return {
    hookIds: new Set(await withEvents('pending')),
    running: new Set(await withEvents('running')),
    retries: new Set(await reader.distinct('incompletes', 'scenarioId', due)),
    retrying: new Set(await reader.distinct('incompletes', 'scenarioId', { status: 'running' })),
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
