import { collectNamedSecrets } from '../../../engine/redaction/collect-secrets.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { SANITIZED } from '../../../engine/redaction/redact-value.js';
import { readState } from '../../../host/store/scenario-plan.js';
import type { IncompleteRow, ScenarioRow } from '../../../host/store/tables.js';
import type { ScenarioState } from '../../../scenario/scenario-state.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { NOT_SHOWN, withoutTexts } from './message-reader.js';
import { formatInstant } from './shown-event.js';

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

/**
 * A stored plan, safe to print. Set-up recorded the secret parameters as pointers in `hiddenParameters`; for a step
 * without them, all parameters are hidden. Pure references are always shown.
 */
export function shownPlan(plan: unknown): unknown {
  if (!isPlainObject(plan)) return mapMembers(plan, (_, member) => shownPlan(member));
  const listed = ownMember(plan, 'hiddenParameters');
  const hidden: ReadonlySet<unknown> = new Set(Array.isArray(listed) ? listed : ['']);
  const { hiddenParameters: _, secretParameters: __, ...shown } = plan;
  return mapMembers(shown, (name, value) =>
    name === 'parameters' ? withoutHidden(value, '', hidden) : shownPlan(value),
  );
}

function withoutHidden(value: unknown, pointer: string, hidden: ReadonlySet<unknown>): unknown {
  if (hidden.has(pointer)) return withoutLiterals(value);
  return mapMembers(value, (name, member) => withoutHidden(member, childPointer(pointer, name), hidden));
}

/** One expression without text: `{{1.token}}`, but neither `{{concat("key"; 1.id)}}` nor `key-{{1.id}}`. */
const REFERENCE = /^\{\{[^{}"']*\}\}$/;

function withoutLiterals(value: unknown): unknown {
  if (typeof value === 'string') return value === '' || REFERENCE.test(value) ? value : SANITIZED;
  if (typeof value === 'number') return SANITIZED;
  return mapMembers(value, (_, member) => withoutLiterals(member));
}

function mapMembers(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => change(String(index), item));
  if (!isPlainObject(value)) return value;
  const result: PlainObject = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, change(name, member));
  return result;
}

/** Stored host data, safe to print: redacts known secrets and values under secret names wherever they occur. */
function hideSecrets(value: unknown, secrets: readonly string[]): unknown {
  return createRedactor({ secrets: [...secrets, ...collectNamedSecrets(value)] }).value(value);
}
