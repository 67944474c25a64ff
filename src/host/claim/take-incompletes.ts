import type { HostContext } from '../ports/context.js';
import type { HostWriter } from '../store/tables.js';
import { type GiveUpNotice, giveUpIncomplete } from './give-up.js';
import { sortOut } from './isolate-suspects.js';
import { limitBytes } from './limit-bytes.js';
import { groupTaken, markTaken, type Part, type ScenarioLook, type Taking } from './mark-taken.js';

/** By scenario, the retries that are due. */
export async function takeIncompletes(
  writer: HostWriter,
  context: HostContext,
  looks: readonly ScenarioLook[],
): Promise<Map<number, Part>> {
  const nowMs = context.clock.now();
  const scenarioIds = looks.filter(({ mayRetry }) => mayRetry).map(({ scenario }) => scenario.id);
  if (scenarioIds.length === 0) return new Map();
  const where = { status: 'waiting', retryAtMs: { atMost: nowMs } } as const;
  const max = Math.max(...looks.map(({ request }) => request.max));
  const due = await writer.firstOf('incompletes', {
    column: 'scenarioId',
    values: scenarioIds,
    where,
    limit: max,
    columns: ['scenarioId', 'bytes', 'attempts', 'crashes', 'crashesAlone'],
  });
  const found: Taking<(typeof due)[number]>[] = [];
  for (const { scenario, plan, request } of looks) {
    const limit = plan.settings.sequential ? 1 : request.max;
    const rows = due.filter((row) => row.scenarioId === scenario.id).slice(0, limit);
    const giveUp = (row: (typeof due)[number]): Promise<readonly GiveUpNotice[]> =>
      giveUpIncomplete(writer, context, scenario, row);
    const sorted = await sortOut(context, rows, request, giveUp);
    const isMore = rows.length === request.max || rows.length > sorted.rows.length;
    found.push({ ...sorted, scenario, request, isMore });
  }
  const takings = limitBytes(found);
  const own = { status: 'running', claimedBy: context.worker.name() } as const;
  // Its attempts are those of the backoff, which whoever settles it counts.
  const taken = await markTaken(takings, (id, { crashes, crashesAlone }) =>
    writer.updateAndRead('incompletes', { id, status: 'waiting' }, { ...own, crashes, crashesAlone }),
  );
  return groupTaken(takings, taken, (incomplete, scenario) => ({ kind: 'incomplete', incomplete, scenario }));
}
