import { OPEN_INCOMPLETES } from './claim.js';
import type { HostContext } from './work/context.js';
import { persist } from './work/persist.js';
import { planOf } from './scenario-plan.js';
import type { ScenarioRow } from './store/tables.js';

/**
 * How many more incomplete executions a scenario may store; those that fail at the same time may go a little beyond.
 * Waits for a store that is away: that is no failure of the flow.
 */
export async function roomFor(
  context: HostContext,
  scenario: ScenarioRow,
  signal: AbortSignal,
): Promise<number> {
  const { maxIncompletes } = context.limits;
  if (!planOf(scenario).settings.storeIncomplete) return maxIncompletes;
  const open = { scenarioId: scenario.id, status: OPEN_INCOMPLETES };
  const count = await persist(context, signal, (writer) => writer.count('incompletes', open));
  return Math.max(0, maxIncompletes - count);
}
