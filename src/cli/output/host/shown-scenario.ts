import { readState } from '../../../host/store/scenario-plan.js';
import type { IncompleteRow, ScenarioRow } from '../../../host/store/tables.js';
import type { ScenarioState } from '../../../scenario/state/scenario-state.js';
import { isPlainObject, type PlainObject } from '../../../util/plain-object.js';
import { formatInstant } from '../format-instant.js';
import { hideSecrets } from '../hide-secrets.js';
import { NOT_SHOWN, withoutTexts } from './not-shown.js';
import { shownPlan } from './shown-plan.js';

/**
 * A scenario and its incomplete executions, safe to print: times as text, secrets redacted.
 *
 * @param secrets undefined if unknown: content of events is then hidden
 */
export function shownScenario(
  scenario: ScenarioRow,
  incompletes: readonly IncompleteRow[],
  secrets: readonly string[] | undefined,
): PlainObject {
  const { definition, scheduledMs, nextRunMs, lastRunMs, ...rest } = scenario;
  const isKnown = secrets !== undefined;
  const kept = {
    ...rest,
    lastError: isKnown ? rest.lastError : withoutTexts(rest.lastError),
    state: shownState(readState(scenario)),
    scheduled: formatInstant(scheduledMs),
    nextRun: formatInstant(nextRunMs),
    lastRun: formatInstant(lastRunMs),
    incompletes: incompletes.map((row) => shownIncomplete(isKnown ? row : withoutData(row))),
  };
  const shown = hideSecrets(kept, secrets ?? []);
  return { ...(isPlainObject(shown) && shown), definition: shownPlan(definition) };
}

function shownState(state: ScenarioState): object {
  if (state.kind === 'running') return { ...state, resting: shownState(state.resting) };
  return renameInstant(state, 'untilMs', 'until');
}

function shownIncomplete({ createdAtMs, retryAtMs, finishedAtMs, ...rest }: IncompleteRow): object {
  return {
    ...rest,
    execution: shownExecution(rest.execution),
    created: formatInstant(createdAtMs),
    retry: formatInstant(retryAtMs),
    finished: formatInstant(finishedAtMs),
  };
}

function withoutData(row: IncompleteRow): IncompleteRow {
  return { ...row, execution: NOT_SHOWN, error: withoutTexts(row.error) };
}

/** The format of `createScenarioFlows`. */
function shownExecution(execution: unknown): unknown {
  if (!isPlainObject(execution)) return execution;
  const { retry } = execution;
  const shown = renameInstant(execution, 'storedAtMs', 'stored');
  return isPlainObject(retry) ? { ...shown, retry: renameInstant(retry, 'atMs', 'at') } : shown;
}

function renameInstant(record: object, name: string, shownAs: string): object {
  const { [name]: ms, ...rest } = record as PlainObject;
  return typeof ms === 'number' ? { ...rest, [shownAs]: formatInstant(ms) } : record;
}
