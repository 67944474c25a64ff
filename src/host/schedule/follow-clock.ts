import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import type { HostQueue } from '../queue/host-queue.js';
import { keyOf } from '../queue/scenario-jobs.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostStore } from '../store/tables.js';
import { planAfter } from './schedule.js';

/** How often a host asks whether the clock was set back. */
export const FOLLOW_CLOCK_EVERY_MS: number = 10_000;

/** Further than this into the future, something that happened did so by another clock. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Moves the times of what waits along when the clock was set back: what waited for ten minutes still does, and not for
 * the hours that the clock has to make up for. That it was set back shows by runs that lie in the future. Calendars go by the
 * clock as it is.
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
        // The times of a calendar stay where they are: what has to be found is the next one.
        const planned =
          plan.cron === undefined
            ? { scheduledMs: moved(row.scheduledMs), nextRunMs: moved(row.nextRunMs) }
            : await planAfter(plan, state, null, nowMs);
        await writer.update('scenarios', { id }, { ...planned, lastRunMs: nowMs, state });
        const retries = { scenarioId: id, status: 'waiting' } as const;
        for (const one of await writer.find('incompletes', { where: retries, columns: ['retryAtMs'] })) {
          await writer.update('incompletes', { id: one.id }, { retryAtMs: moved(one.retryAtMs) });
        }
        // Jobs whose rows lie ahead wait again.
        await queue.release(writer, keyOf(id));
        if (row.hookId === null) return;
        const waiting = { hookId: row.hookId, status: 'pending', notBeforeMs: { above: nowMs } } as const;
        // They wait for the scenario, whose time has just been moved.
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
