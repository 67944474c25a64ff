import {
  DEFAULT_SETTINGS,
  type ScenarioSettings,
  type ScenarioState,
} from '../../scenario/scenario-state.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { JsonText } from '../../shared/store/table.js';
import { isLongerThan, VALUE_LENGTH } from '../../shared/value-length.js';
import type { HostReader, ScenarioRow } from './tables.js';

/** A calendar schedule with five or six fields and a time zone. */
export interface CronSchedule {
  /** `minute hour day month weekday`, with seconds first if there are six fields. */
  readonly pattern: string;
  /** IANA time zone such as `Europe/Prague`. Default UTC. */
  readonly timezone?: string | undefined;
}

/** The schedule of a scenario. Only `Flows` reads the flow itself. */
export interface ScenarioPlan {
  /** `scheduling: instant` runs once per event, `timed` runs every `everyMs` with the waiting events. */
  readonly settings: ScenarioSettings;
  /** Interval of a scheduled scenario. */
  readonly everyMs: number | undefined;
  /** Calendar of a scheduled scenario instead of an interval. */
  readonly cron?: CronSchedule | undefined;
  /**
   * Whether events are processed one after the other in stored order. Default: concurrently. `settings.sequential`
   * implies it.
   */
  readonly ordered: boolean;
  /** Whether a module responds to the sender of a webhook. */
  readonly answers: boolean;
  /** Input of `Flows`: plain JSON data. */
  readonly flow: unknown;
}

/**
 * A sender waits for a responder during processing. In an ordered scenario, any number of events may precede it.
 *
 * @throws EngineError (HOST_REFUSED) for an ordered scenario with a responder
 */
export function assertCanAnswer(
  name: string,
  { answers, ordered, settings }: Pick<ScenarioPlan, 'answers' | 'ordered' | 'settings'>,
): void {
  if (!answers || !(ordered || settings.sequential)) return;
  const which = ordered ? '"ordered"' : '"sequential"';
  const why = 'an event may wait behind others for longer than its sender waits for the answer';
  const message = `The scenario "${name}" has a responder and processes events in order (${which}): ${why}. Remove one of the two.`;
  throw new EngineError('HOST_REFUSED', message);
}

/** Maximum JSON characters of a plan. Every run reads it. [choice] */
const MAX_PLAN = 1024 * 1024;

/** @throws EngineError (HOST_REFUSED) if the plan is too large */
export function assertFits(name: string, plan: ScenarioPlan): void {
  if (!isLongerThan(plan, MAX_PLAN)) return;
  const message = `The scenario "${name}" is too large: expected at most ${MAX_PLAN} characters of JSON, where each value counts ${VALUE_LENGTH} more.`;
  throw new EngineError('HOST_REFUSED', message);
}

/** Whether a scenario processes events one after the other. */
export function isSerial({ ordered, settings }: ScenarioPlan): boolean {
  return ordered || settings.sequential || settings.scheduling === 'timed';
}

/** A stored plan. */
export interface StoredPlan extends ScenarioPlan {
  /**
   * Whether the scenario ever had a hook, including one of an instant trigger. Stored data may contain secrets of a
   * removed hook.
   */
  readonly hasHadHook: boolean;
}

/** The plan of a stored scenario. Only `putScenario` writes it. See `findPlanError` for one that cannot be read. */
export function readPlan({ definition }: Pick<ScenarioRow, 'definition'>): StoredPlan {
  return definition instanceof JsonText ? UNREADABLE : (definition as StoredPlan);
}

/** Stands for a plan that does not open. The scenario starts nothing, and its events wait. */
const UNREADABLE: StoredPlan = {
  settings: { ...DEFAULT_SETTINGS, scheduling: 'instant' },
  everyMs: undefined,
  ordered: false,
  answers: false,
  flow: undefined,
  hasHadHook: true,
};

/** Why the plan of a scenario cannot be read: it was changed, moved or sealed with another key. */
export function findPlanError({ definition }: Pick<ScenarioRow, 'definition'>): unknown {
  if (!(definition instanceof JsonText)) return undefined;
  try {
    void definition.text;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Plans by scenario id. Removed scenarios are absent. */
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

/** The state of a stored scenario. Only results of `nextState` are stored. One that cannot be read is off. */
export function readState({ state }: Pick<ScenarioRow, 'state'>): ScenarioState {
  return state instanceof JsonText ? UNREADABLE_STATE : (state as ScenarioState);
}

const UNREADABLE_STATE: ScenarioState = Object.freeze({
  kind: 'inactive',
  errors: 0,
  reason: 'fatal-error',
  error: undefined,
});
