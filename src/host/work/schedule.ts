import type { ScenarioState } from '../../scenario/scenario-state.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { HostQueue } from '../queue/host-queue.js';
import { wakeScenarios } from '../queue/scenario-keys.js';
import { type CronSchedule, readPlan, readState, type ScenarioPlan } from '../store/scenario-plan.js';
import type { HostStore } from '../store/tables.js';

/** Planned times of a scheduled scenario. */
export interface PlannedRun {
  /** The next time of the schedule alone. */
  readonly scheduledMs: number | null;
  /** The next start: an earlier rerun of a backoff, or a later end of a suspension. */
  readonly nextRunMs: number | null;
}

/**
 * Plans the next run after a run. Reruns do not move the schedule: an interval of 30 minutes stays at 0, 30, 60, 90.
 * Missed times are skipped. Source: https://help.make.com/exponential-backoff: the usual schedule goes on during a
 * backoff. [doc]
 */
export async function planAfter(
  plan: ScenarioPlan,
  state: ScenarioState,
  scheduledMs: number | null,
  nowMs: number,
): Promise<PlannedRun> {
  if (state.kind === 'inactive') return { scheduledMs: null, nextRunMs: null };
  const isAhead = scheduledMs !== null && scheduledMs > nowMs;
  const next = isAhead ? scheduledMs : await nextScheduled(plan, scheduledMs ?? nowMs, nowMs);
  return { scheduledMs: next, nextRunMs: next === null ? null : startAfter(state, next) };
}

/**
 * Plans the first run after activation or a change of plan. An interval starts at once, or one interval after the
 * last run. A calendar starts at its next time.
 */
export async function planFirst(
  plan: ScenarioPlan,
  lastRunMs: number | null,
  nowMs: number,
): Promise<PlannedRun> {
  const { everyMs, cron } = plan;
  if (cron !== undefined) {
    const atMs = await nextCronTime(cron, nowMs);
    return { scheduledMs: atMs, nextRunMs: atMs };
  }
  if (everyMs === undefined) return { scheduledMs: null, nextRunMs: null };
  const atMs = lastRunMs === null ? nowMs : Math.min(Math.max(nowMs, lastRunMs + everyMs), nowMs + everyMs);
  return { scheduledMs: atMs, nextRunMs: atMs };
}

async function nextScheduled(
  { everyMs, cron }: ScenarioPlan,
  plannedMs: number,
  nowMs: number,
): Promise<number | null> {
  if (cron !== undefined) return nextCronTime(cron, nowMs);
  if (everyMs === undefined) return null;
  // Counted from the planned time, so that runs do not drift.
  const missed = Math.max(0, Math.floor((nowMs - plannedMs) / everyMs));
  return plannedMs + (missed + 1) * everyMs;
}

function startAfter(state: ScenarioState, scheduledMs: number): number {
  switch (state.kind) {
    case 'delayed':
      return state.untilMs;
    case 'backoff':
      return Math.min(state.untilMs, scheduledMs);
    default:
      return scheduledMs;
  }
}

/**
 * The next time of a calendar schedule after an instant. If clocks go forward, a time that does not exist moves to
 * the end of the gap. If they go back, a time that occurs twice runs once, at the first; a schedule of every hour
 * runs in both hours.
 *
 * @returns null if there is no further time
 * @throws EngineError (HOST_FILE) for an invalid pattern or time zone
 */
export async function nextCronTime(schedule: CronSchedule, afterMs: number): Promise<number | null> {
  const { pattern, timezone = 'UTC' } = schedule;
  const { Cron } = await import('croner');
  try {
    return new Cron(pattern, { timezone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('HOST_FILE', `"${pattern}" in "${timezone}" is not a valid schedule: ${why}`, {
      cause,
    });
  }
}

/** Interval of the check whether the clock was set back. */
export const FOLLOW_CLOCK_EVERY_MS: number = 10_000;

/** A past event with a later time than this was recorded before the clock was set back. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Shifts due times after the clock was set back, so that a delay of ten minutes stays ten minutes. Detects the change
 * by runs in the future. Calendar schedules follow the new clock.
 */
export async function followClock(store: HostStore, queue: HostQueue, nowMs: number): Promise<void> {
  const where = { lastRunMs: { above: nowMs + MAX_SKEW_MS } };
  for (const { id, lastRunMs, tenant } of await store.find('scenarios', {
    where,
    columns: ['lastRunMs', 'tenant'],
  })) {
    if (lastRunMs === null) continue;
    const byMs = lastRunMs - nowMs;
    const moved = (ms: number | null): number | null => (ms === null ? null : ms - byMs);
    await store.transaction(
      async (writer) => {
        await wakeScenarios(writer, queue, [{ id, tenant }]);
        const row = await writer.getLocked('scenarios', { id, lastRunMs }, 'update');
        if (row === undefined) return;
        const state = movedState(readState(row), byMs);
        const plan = readPlan(row);
        // Calendar times do not shift. Find the next one.
        const planned =
          plan.cron === undefined
            ? { scheduledMs: moved(row.scheduledMs), nextRunMs: moved(row.nextRunMs) }
            : await planAfter(plan, state, null, nowMs);
        await writer.update('scenarios', { id }, { ...planned, lastRunMs: nowMs, state });
        const retries = { scenarioId: id, status: 'waiting' } as const;
        for (const one of await writer.find('incompletes', { where: retries, columns: ['retryAtMs'] })) {
          await writer.update('incompletes', { id: one.id }, { retryAtMs: moved(one.retryAtMs) });
        }
        if (row.hookId === null) return;
        const waiting = { hookId: row.hookId, status: 'pending', notBeforeMs: { above: nowMs } } as const;
        // They wait for the scenario, whose time was just shifted.
        await writer.update('events', waiting, { notBeforeMs: nowMs });
      },
      { isolation: 'read-committed' },
    );
  }
}

function movedState(state: ScenarioState, byMs: number): ScenarioState {
  if (state.kind === 'running')
    return { ...state, resting: movedState(state.resting, byMs) as typeof state.resting };
  return 'untilMs' in state ? { ...state, untilMs: state.untilMs - byMs } : state;
}
