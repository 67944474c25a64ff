import { nextStart } from '../../scenario/state/next-start.js';
import type { Where } from '../../store/record-store.js';
import { readPlan, readState } from '../store/scenario-plan.js';
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
