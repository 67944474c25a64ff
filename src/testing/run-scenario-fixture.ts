import { APP_ERROR_TYPES, type AppErrorType } from '../errors/app-error.js';
import { nextState, type Transition } from '../scenario/next-state.js';
import { type ScenarioSettings, settingsOf } from '../scenario/scenario-settings.js';
import { NEW_SCENARIO, type RunOutcome, type ScenarioState } from '../scenario/scenario-state.js';
import type { FixtureInput, Outcome } from './fixture.js';

/**
 * Leads a scenario through a list of events. Each is the outcome of what the one before made start: the clock stands
 * at that time, and the event after one that was stored is the outcome of its retry.
 */
export function runScenarioFixture(input: FixtureInput): Pick<Outcome, 'states'> {
  const settings = settingsOf(input.settings as Partial<ScenarioSettings>);
  let state: ScenarioState = NEW_SCENARIO;
  let nowMs = input.now === undefined ? Date.UTC(2024, 0, 1) : Date.parse(input.now);
  let retry: number | undefined;
  const states = (input.events ?? []).map((event) => {
    const transition = nextState(state, settings, outcomeOf(event, input.firstModule, retry), nowMs);
    const { stored, delayMs } = transition;
    state = transition.state;
    nowMs += delayMs ?? 0;
    retry = stored?.resolution === 'automatic' ? stored.attempt : undefined;
    return describe(transition);
  });
  return { states };
}

function outcomeOf(
  event: Readonly<Record<string, unknown>>,
  firstModule: boolean | undefined,
  retry: number | undefined,
): RunOutcome {
  const { error, delay, storageFull, event: named } = event;
  if (typeof named === 'string') return { kind: named } as RunOutcome;
  if (typeof error !== 'string') return { kind: 'success', retry };
  const isFirstModule = (event['firstModule'] ?? firstModule) !== false;
  return {
    kind: 'error',
    type: APP_ERROR_TYPES.find((type) => type === error) ?? (error as AppErrorType),
    ...{ isFirstModule, retry },
    isStorageFull: storageFull === true,
    delayMs: typeof delay === 'number' ? delay : undefined,
  };
}

function describe({ state, stored, ...transition }: Transition): Record<string, unknown> {
  return {
    ...transition,
    kind: state.kind,
    active: state.kind !== 'inactive',
    errors: state.errors,
    stored: stored !== undefined,
    unresolved: stored?.resolution === 'manual' && stored.cause === 'retries',
    ...(state.kind === 'inactive' && { reason: state.reason }),
  };
}
