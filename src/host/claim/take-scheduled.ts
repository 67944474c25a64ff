import type { HostContext } from '../ports/context.js';
import type { HostWriter } from '../store/tables.js';
import { giveUpPoll } from './give-up.js';
import { type Crashing, sortOut } from './isolate-suspects.js';
import { groupTaken, markTaken, type Part, type ScenarioLook } from './mark-taken.js';

/** The run of a schedule that is due. */
export async function takeScheduled(
  writer: HostWriter,
  context: HostContext,
  { scenario, plan, request, mayRun }: ScenarioLook,
): Promise<Part | undefined> {
  const { nextRunMs, claimedBy, hookId } = scenario;
  const isDue = nextRunMs !== null && nextRunMs <= context.clock.now();
  if (plan.settings.scheduling !== 'timed' || !mayRun || !isDue || claimedBy !== null) return undefined;
  // The events of a hook are counted one by one.
  const row: Crashing = hookId === null ? scenario : { ...scenario, crashesAlone: 0 };
  const sorted = await sortOut(context, [row], request, () => giveUpPoll(writer, context, scenario));
  const takings = [{ ...sorted, scenario, request, isMore: false }];
  const own = { claimedBy: context.worker.name() };
  const taken = await markTaken(takings, (id, change) =>
    writer.updateAndRead('scenarios', { id, claimedBy: null }, { ...own, ...change }),
  );
  const { isAlone } = request;
  const parts = groupTaken(takings, taken, () => ({
    kind: 'scheduled',
    scenario: { ...scenario, ...own },
    isAlone,
  }));
  return parts.get(scenario.id);
}
