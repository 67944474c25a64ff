import type { ScenarioSettings } from '../../scenario/state/scenario-settings.js';
import { nextStart } from '../../scenario/state/scenario-state.js';
import type { Where } from '../../store/record-store.js';
import { readPlans, readState } from '../store/scenario-plan.js';
import type { HostReader, ScenarioRow } from '../store/tables.js';

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
  const startable = [...found.values()].filter((row) => canStart(row, nowMs));
  const plans = await readPlans(reader, startable);
  const due = startable.filter((row) => isDue(row, plans.get(row.id)?.settings, { hooks, retries, nowMs }));
  return due.map(({ id }) => id).sort((a, b) => a - b);
}

/** Not the plan, which may be large: it is read of those that can start. */
const DUE_COLUMNS = ['hookId', 'state', 'nextRunMs', 'claimedBy'] as const;

type DueRow = Pick<ScenarioRow, 'id' | (typeof DUE_COLUMNS)[number]>;

interface Due {
  readonly hooks: ReadonlySet<number | null>;
  readonly retries: ReadonlySet<number>;
  readonly nowMs: number;
}

/** Whether its state lets anything start, whatever its settings are. */
function canStart(row: DueRow, nowMs: number): boolean {
  return nextStart(readState(row), { sequential: false }, { kind: 'retry', nowMs }).kind === 'now';
}

function isDue(row: DueRow, settings: ScenarioSettings | undefined, { hooks, retries, nowMs }: Due): boolean {
  if (settings === undefined) return false;
  const isTimed = settings.scheduling === 'timed';
  const isRunDue = isTimed && row.claimedBy === null && row.nextRunMs !== null && row.nextRunMs <= nowMs;
  const hasEvents = !isTimed && row.hookId !== null && hooks.has(row.hookId);
  if (!isRunDue && !hasEvents && !retries.has(row.id)) return false;
  return nextStart(readState(row), settings, { kind: 'retry', nowMs }).kind === 'now';
}
