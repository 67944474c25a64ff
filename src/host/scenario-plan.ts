import type { ScenarioSettings } from '../scenario/state/scenario-settings.js';
import type { ScenarioState } from '../scenario/state/scenario-state.js';
import type { HookRow, ScenarioRow } from './store/tables.js';

/** What the host has to know of a scenario to schedule it. The flow itself is a matter of `Flows`. */
export interface ScenarioPlan {
  /** `scheduling: instant` starts a run for each event, `timed` one every `everyMs` with the events that wait by then. */
  readonly settings: ScenarioSettings;
  /** Of a timed scenario. */
  readonly everyMs: number | undefined;
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

/** The plan of a stored scenario. Only `putScenario` writes it. */
export function planOf(scenario: Pick<ScenarioRow, 'definition'>): ScenarioPlan {
  return scenario.definition as ScenarioPlan;
}

/** The state of a stored scenario. Only what `nextState` gives is written. */
export function stateOf(scenario: Pick<ScenarioRow, 'state'>): ScenarioState {
  return scenario.state as ScenarioState;
}

/** The lane of a scenario's own runs: they never overlap. */
export function scenarioLane(scenario: Pick<ScenarioRow, 'id'>): string {
  return `scenario:${scenario.id}`;
}

/** The lane the events of a hook are processed in; null where they may be processed at the same time. */
export function laneOf(hook: Pick<HookRow, 'id'>, scenario: ScenarioRow | undefined): string | null {
  if (scenario === undefined) return null;
  const { settings, ordered } = planOf(scenario);
  if (settings.sequential || settings.scheduling === 'timed') return scenarioLane(scenario);
  return ordered ? `hook:${hook.id}` : null;
}
