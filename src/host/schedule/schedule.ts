import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import type { ScenarioPlan } from '../store/scenario-plan.js';
import { nextCronTime } from './cron.js';

/** Of a timed scenario: when its own schedule has it run next, and when it does run next. */
export interface PlannedRun {
  /** Moves by the schedule alone. */
  readonly scheduledMs: number | null;
  /** The rerun of a backoff, where that comes first, or the end of a suspension, where that comes later. */
  readonly nextRunMs: number | null;
}

/**
 * When a scenario runs after a run that ended. Reruns do not move the schedule: with an interval of 30 minutes it is
 * 0, 30, 60, 90 whatever came between. Times that were missed are left out.
 * Source: https://help.make.com/exponential-backoff: the usual schedule goes on during a backoff. [doc]
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
 * When a scenario runs first after it was turned on or given a plan. One of an interval starts at once, then after each
 * interval, counted from its last run where it had one; one of a calendar at its next time.
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
  // Counted from the time that was planned, so that runs do not drift.
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
