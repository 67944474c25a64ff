import type { ScenarioState } from '../../scenario/scenario-state.js';
import type { HostQueue } from '../queue/host-queue.js';
import { keyOf } from '../queue/scenario-jobs.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostStore } from '../store/tables.js';
import { planAfter } from './schedule.js';

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
  for (const { id, lastRunMs } of await store.find('scenarios', { where, columns: ['lastRunMs'] })) {
    if (lastRunMs === null) continue;
    const byMs = lastRunMs - nowMs;
    const moved = (ms: number | null): number | null => (ms === null ? null : ms - byMs);
    await store.transaction(
      async (writer) => {
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
        // The jobs wait for their new times.
        await queue.release(writer, keyOf(id));
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
