import { nextStart } from '../../scenario/state/next-start.js';
import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import type { Where } from '../../store/record-store.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostReader, HostStore, ScenarioRow } from '../store/tables.js';
import { planAfter } from './schedule.js';

/**
 * The scenarios that have something due and may start it as far as their state tells. Reads no payload, of a long queue
 * no more than that it is there, and no scenario that has nothing to do.
 */
export async function findDueScenarios(reader: HostReader, nowMs: number): Promise<readonly number[]> {
  const hookIds = await reader.distinct('events', 'hookId', { status: 'pending' });
  const waiting = { status: 'waiting', retryAtMs: { atMost: nowMs } } as const;
  const retrying = await reader.distinct('incompletes', 'scenarioId', waiting);
  const found = new Map<number, DueRow>();
  const add = async (where: Where<ScenarioRow>): Promise<void> => {
    for (const row of await reader.find('scenarios', { where, columns: DUE_COLUMNS })) found.set(row.id, row);
  };
  if (hookIds.length > 0) await add({ hookId: hookIds });
  if (retrying.length > 0) await add({ id: retrying });
  await add({ nextRunMs: { atMost: nowMs } });
  const [hooks, retries] = [new Set<number | null>(hookIds), new Set(retrying)];
  const due = [...found.values()].filter((row) => isDue(row, { hooks, retries, nowMs }));
  return due.map(({ id }) => id).sort((a, b) => a - b);
}

const DUE_COLUMNS = ['definition', 'hookId', 'state', 'nextRunMs', 'claimedBy'] as const;

type DueRow = Pick<ScenarioRow, 'id' | (typeof DUE_COLUMNS)[number]>;

interface Due {
  readonly hooks: ReadonlySet<number | null>;
  readonly retries: ReadonlySet<number>;
  readonly nowMs: number;
}

function isDue(row: DueRow, { hooks, retries, nowMs }: Due): boolean {
  const { settings } = readPlan(row);
  const isTimed = settings.scheduling === 'timed';
  const isRunDue = isTimed && row.claimedBy === null && row.nextRunMs !== null && row.nextRunMs <= nowMs;
  const hasEvents = !isTimed && row.hookId !== null && hooks.has(row.hookId);
  if (!isRunDue && !hasEvents && !retries.has(row.id)) return false;
  return nextStart(readState(row), settings, { kind: 'retry', nowMs }).kind === 'now';
}

/** Further than this into the future, something that happened did so by another clock. */
const MAX_SKEW_MS = 5 * 60_000;

/**
 * Moves the times of what waits along when the clock was set back: what waited for ten minutes still does, and not for
 * the hours that the clock has to make up for. That it was set back shows by runs that lie in the future. Calendars go by the
 * clock as it is.
 */
export async function followClock(store: HostStore, nowMs: number): Promise<void> {
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
