import { nextStart, type StartKind } from '../../scenario/state/next-start.js';
import { OPEN_INCOMPLETES } from '../claim/claim.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostReader, ScenarioRow } from '../store/tables.js';

/** Since when something has to be due. */
export interface StalledOptions {
  readonly nowMs: number;
  readonly afterMs: number;
}

/**
 * Names of the scenarios that may start, have had something due for a time, and neither do nor have done anything in it.
 * One that waits for a person is not among them.
 */
export async function findStalled(
  reader: HostReader,
  scenarios: readonly ScenarioRow[],
  { nowMs, afterMs }: StalledOptions,
): Promise<readonly string[]> {
  const dueMs = nowMs - afterMs;
  const idle = scenarios.filter((row) => row.claimedBy === null && (row.lastRunMs ?? 0) <= dueMs);
  const waiting = await readWaiting(reader, idle, dueMs);
  const stalled: string[] = [];
  for (const row of idle) {
    const unresolved = waiting.unresolved.get(row.id) ?? 0;
    const { settings } = readPlan(row);
    const may = (kind: StartKind): boolean =>
      nextStart(readState(row), settings, { kind, nowMs, unresolved }).kind === 'now';
    const isBusy = waiting.running.has(row.hookId) || waiting.retrying.has(row.id);
    if (isBusy) continue;
    const hasRetry = waiting.retries.has(row.id) && may('retry');
    const isDue = hasRetry || (may('run') && (await hasRunDue(reader, row, waiting.hookIds, dueMs)));
    if (isDue) stalled.push(row.name);
  }
  return stalled;
}

interface WaitingWork {
  /** Hooks with events that wait. */
  readonly hookIds: ReadonlySet<number | null>;
  /** Hooks with events that are being processed. */
  readonly running: ReadonlySet<number | null>;
  /** Scenarios with retries that are due for long. */
  readonly retries: ReadonlySet<number>;
  /** Scenarios with retries that are being made. */
  readonly retrying: ReadonlySet<number>;
  /** By scenario that waits for those: its incomplete executions. */
  readonly unresolved: ReadonlyMap<number, number>;
}

async function readWaiting(
  reader: HostReader,
  idle: readonly ScenarioRow[],
  dueMs: number,
): Promise<WaitingWork> {
  const hookId = idle.map((row) => row.hookId).filter((id) => id !== null);
  const withEvents = (status: 'pending' | 'running'): Promise<readonly number[]> | readonly number[] =>
    hookId.length === 0 ? [] : reader.distinct('events', 'hookId', { status, hookId });
  const sequential = idle.filter((row) => readPlan(row).settings.sequential).map(({ id }) => id);
  const open = { scenarioId: sequential, status: OPEN_INCOMPLETES };
  const due = { status: 'waiting', retryAtMs: { atMost: dueMs } } as const;
  return {
    hookIds: new Set(await withEvents('pending')),
    running: new Set(await withEvents('running')),
    retries: new Set(await reader.distinct('incompletes', 'scenarioId', due)),
    retrying: new Set(await reader.distinct('incompletes', 'scenarioId', { status: 'running' })),
    unresolved: sequential.length === 0 ? new Map() : await reader.countBy('incompletes', 'scenarioId', open),
  };
}

async function hasRunDue(
  reader: HostReader,
  row: ScenarioRow,
  waiting: ReadonlySet<number | null>,
  dueMs: number,
): Promise<boolean> {
  const { hookId, nextRunMs } = row;
  if (readPlan(row).settings.scheduling === 'timed') return nextRunMs !== null && nextRunMs <= dueMs;
  if (hookId === null || !waiting.has(hookId)) return false;
  const columns = ['receivedAtMs', 'notBeforeMs'] as const;
  const [event] = await reader.find('events', { where: { hookId, status: 'pending' }, columns, limit: 1 });
  return event !== undefined && (event.notBeforeMs ?? event.receivedAtMs) <= dueMs;
}
