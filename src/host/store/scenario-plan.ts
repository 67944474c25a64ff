import { EngineError } from '../../errors/engine-error.js';
import type { ScenarioSettings } from '../../scenario/state/scenario-settings.js';
import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import { isLongerThan, VALUE_LENGTH } from './kept-value.js';
import type { HostReader, ScenarioRow } from './tables.js';

/** Times of a calendar: five or six fields, and the zone they are meant in. */
export interface CronSchedule {
  /** `minute hour day month weekday`, with seconds in front if there are six. */
  readonly pattern: string;
  /** A zone of the tz database, such as `Europe/Prague`. Default UTC. */
  readonly timezone?: string | undefined;
}

/** What the host has to know of a scenario to schedule it. The flow itself is a matter of `Flows`. */
export interface ScenarioPlan {
  /** `scheduling: instant` starts a run for each event, `timed` one every `everyMs` with the events that wait by then. */
  readonly settings: ScenarioSettings;
  /** Of a timed scenario: the time between two runs. */
  readonly everyMs: number | undefined;
  /** Of a timed scenario: the calendar it runs by, in place of an interval. */
  readonly cron?: CronSchedule | undefined;
  /**
   * Events are processed one after the other, in the order they were stored. Default: at the same time.
   * `settings.sequential` does so as well, and more.
   */
  readonly ordered: boolean;
  /** Whether a module of it answers the sender of a webhook. */
  readonly answers: boolean;
  /** What `Flows` runs: plain JSON data. */
  readonly flow: unknown;
}

/**
 * Makes sure that a responder can do its work: the sender waits while the event is processed, and where order is kept
 * that may be behind any number of others.
 *
 * @throws EngineError (HOST_REFUSED) for a scenario that keeps order and has a responder
 */
export function assertCanAnswer(
  name: string,
  { answers, ordered, settings }: Pick<ScenarioPlan, 'answers' | 'ordered' | 'settings'>,
): void {
  if (!answers || !(ordered || settings.sequential)) return;
  const which = ordered ? '"ordered"' : '"sequential"';
  const why = 'an event may wait behind others for longer than its sender waits for the answer';
  const message = `The scenario "${name}" has a responder and keeps order (${which}), and cannot do both: ${why}. Leave out one of the two.`;
  throw new EngineError('HOST_REFUSED', message);
}

/** Characters of JSON that a plan may have: each look at its scenario may read it, and each run of it. [choice] */
const MAX_PLAN = 1024 * 1024;

/** @throws EngineError (HOST_REFUSED) for a scenario that is too large to be looked at often */
export function assertFits(name: string, plan: ScenarioPlan): void {
  if (!isLongerThan(plan, MAX_PLAN)) return;
  const message = `The scenario "${name}" is too large: it may have ${MAX_PLAN} characters of JSON, of which each value takes ${VALUE_LENGTH} besides its own.`;
  throw new EngineError('HOST_REFUSED', message);
}

/** Whether a scenario takes its events one after the other. */
export function isSerial({ ordered, settings }: ScenarioPlan): boolean {
  return ordered || settings.sequential || settings.scheduling === 'timed';
}

/** A plan as it is stored. */
export interface StoredPlan extends ScenarioPlan {
  /**
   * Whether the scenario ever had a hook, that of an instant trigger, too: what came in by one that is gone may stand in what is kept of it.
   * Undefined where nobody knows, as an earlier version has stored it.
   */
  readonly hasHadHook?: boolean | undefined;
}

/** The plan of a stored scenario. Only `putScenario` writes it. */
export function readPlan(scenario: Pick<ScenarioRow, 'definition'>): StoredPlan {
  return scenario.definition as StoredPlan;
}

/** The plans of scenarios by their ids; one that was removed is absent. */
export async function readPlans(
  reader: HostReader,
  scenarios: readonly { readonly id: number }[],
): Promise<ReadonlyMap<number, StoredPlan>> {
  const plans = new Map<number, StoredPlan>();
  if (scenarios.length === 0) return plans;
  const id = scenarios.map((row) => row.id);
  for (const row of await reader.find('scenarios', { where: { id }, columns: ['definition'] })) {
    plans.set(row.id, readPlan(row));
  }
  return plans;
}

/** The state of a stored scenario. Only what `nextState` gives is written. */
export function readState(scenario: Pick<ScenarioRow, 'state'>): ScenarioState {
  return scenario.state as ScenarioState;
}
