import { Turns } from '../../util/turns.js';
import { readPlan, type StoredPlan } from './scenario-plan.js';
import type { HostReader } from './tables.js';

/** Plans that are read at once: the largest take some 8 ms each, and no store keeps what was read of many of them. */
const PIECE = 5;

/** The plans of scenarios by their ids, in turns; one that is gone is absent. */
export async function readPlans(
  reader: HostReader,
  scenarios: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, StoredPlan>> {
  const plans = new Map<number, StoredPlan>();
  const turns = new Turns();
  for (let from = 0; from < scenarios.length; from += PIECE) {
    if (turns.isOver) await turns.next();
    const id = scenarios.slice(from, from + PIECE).map((row) => row.id);
    for (const row of await reader.find('scenarios', { where: { id }, columns: ['definition'] })) {
      plans.set(row.id, readPlan(row));
    }
  }
  return plans;
}
