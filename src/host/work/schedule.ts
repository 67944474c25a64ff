import type { ScenarioState } from '../../scenario/scenario-state.js';
import type { ScenarioPlan } from '../store/scenario-plan.js';
import { nextCronTime } from './cron.js';

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
