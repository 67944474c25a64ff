import { isSerial, type ScenarioPlan } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import { type HostQueue, LANES, type LaneKey, type QueueKey } from './host-queue.js';

/** The queue key of a scenario. */
export function keyOf({ id, tenant }: Pick<ScenarioRow, 'id' | 'tenant'>): QueueKey {
  return { key: `scenario-${id}`, tenant };
}

export function scenarioIdOf(key: string): number {
  return Number(key.slice('scenario-'.length));
}

/** The columns of a scenario that its plan determines. */
export function toPlanColumns(plan: ScenarioPlan): Pick<ScenarioRow, 'lane' | 'isSequential' | 'isTimed'> {
  const { sequential, scheduling } = plan.settings;
  return {
    lane: isSerial(plan) ? 'ordered' : 'parallel',
    isSequential: sequential,
    isTimed: scheduling === 'timed',
  };
}

/**
 * Wakes both lanes of scenarios before a change of their state. The first statement of the transaction: later, the
 * locks of a settling turn and of this transaction could wait for each other.
 */
export async function wakeScenarios(
  writer: HostWriter,
  queue: HostQueue,
  scenarios: readonly Pick<ScenarioRow, 'id' | 'tenant'>[],
): Promise<void> {
  const keys = scenarios.map(keyOf);
  for (const lane of LANES) await queue.wake(writer, lane, keys, { isFresh: false });
}

/** Wakes keys by their lane. */
export async function wakeAll(
  writer: HostWriter,
  queue: HostQueue,
  keys: readonly LaneKey[],
  isFresh: boolean,
): Promise<void> {
  for (const lane of LANES) {
    const own = keys.filter((one) => one.lane === lane);
    if (own.length > 0) await queue.wake(writer, lane, own, { isFresh });
  }
}
