import { createRedactor } from '../../../engine/redaction/redact.js';
import { SANITIZED } from '../../../engine/redaction/redact-text.js';
import { collectNamedSecrets } from '../../../engine/redaction/secrets.js';
import { pathOfHook } from '../../../host/hooks/hooks.js';
import {
  createScenarioAdmin,
  findStuck,
  type ScenarioAdmin,
  type Stuck,
} from '../../../host/scenarios/scenario-admin.js';
import { readState } from '../../../host/store/scenario-plan.js';
import { copyStored } from '../../../host/store/stored-value.js';
import type { HostStore, IncompleteRow, ScenarioRow } from '../../../host/store/tables.js';
import { OPEN_INCOMPLETES } from '../../../host/work/claim.js';
import type { ScenarioState } from '../../../scenario/scenario-state.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { type Arguments, type Command, usageError } from '../command.js';
import { createHostSecretFinder, type HostSecretFinder } from '../connections/connection-data.js';
import { HOST_OPTIONS, readId, withHostParts } from '../input/host-store-options.js';
import { readAction } from '../input/option-values.js';
import type { Io } from '../io.js';
import { printPrettyJson } from '../output/json-output.js';
import { printRows } from '../output/print-table.js';
import { createMessageReader, formatInstant, NOT_SHOWN, withoutTexts } from '../output/shown-event.js';
import { printableLine } from '../output/terminal-text.js';

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

const ACTIONS = ['list', 'show', 'stuck', 'on', 'off', 'retry', 'discard'] as const;

type Action = (typeof ACTIONS)[number];

export const SCENARIOS_COMMAND: Command = {
  name: 'scenarios',
  about:
    'Lists the scenarios of a host, switches them on and off, retries and discards incomplete executions.',
  positionals: [
    {
      name: 'action',
      help: 'list, show, stuck, on, off, retry or discard. Default: list.',
      isOptional: true,
    },
    {
      name: 'name',
      help: 'Name of the scenario; for retry and discard the ID of an incomplete execution.',
      isOptional: true,
    },
  ],
  options: { json: { help: 'list: prints JSON.' }, ...HOST_OPTIONS },
  examples: [
    'iml scenarios',
    'iml scenarios show welcome',
    'iml scenarios stuck',
    'iml scenarios on welcome',
    'iml scenarios retry 3',
  ],
  run: manageScenarios,
};

async function manageScenarios(args: Arguments, io: Io): Promise<number> {
  const action = readAction(args.positionals[0], ACTIONS);
  const [, name] = args.positionals;
  const isList = action === 'list' || action === 'stuck';
  if (isList && name !== undefined) throw usageError(`Unexpected argument "${name}".`);
  if (!isList && name === undefined) throw usageError(`Missing <name>: which ${nameSubject(action)}.`);
  return withHostParts(args, io, async ({ store, queue, connections }) => {
    const desk = createScenarioAdmin({ store, queue, clock: SYSTEM_CLOCK });
    const opened = { desk, store, secrets: createHostSecretFinder(store, connections) };
    if (action === 'list') return list(opened, args, io);
    if (action !== 'stuck') return io.stdout.write(await act(opened, action, name ?? ''));
    const stuck = await findStuck(store, SYSTEM_CLOCK.now());
    return printRows(stuck.map(stuckRow), 'Nothing is stuck.', args, io);
  });
}

function nameSubject(action: Action): string {
  return action === 'retry' || action === 'discard' ? 'incomplete execution' : 'scenario';
}

interface Opened {
  readonly desk: ScenarioAdmin;
  readonly store: HostStore;
  readonly secrets: HostSecretFinder;
}

async function list({ desk, store, secrets }: Opened, args: Arguments, io: Io): Promise<void> {
  const open = await store.countBy('incompletes', 'scenarioId', { status: OPEN_INCOMPLETES });
  const read = createMessageReader();
  const rows: Record<string, unknown>[] = [];
  for (const scenario of await desk.list()) {
    const { lastError } = scenario;
    const message = lastError === null ? '' : read(lastError, await secrets.forScenario(scenario));
    rows.push(toRow(scenario, open.get(scenario.id) ?? 0, message));
  }
  return printRows(rows, 'No scenarios. iml serve creates them.', args, io);
}

function stuckRow({ scenario, waiting, oldestMs, why }: Stuck): Record<string, unknown> {
  const oldest = oldestMs === null ? '' : `${Math.round(oldestMs / 1000)} s`;
  return { scenario, waiting, 'oldest waits for': oldest, why };
}

function toRow(scenario: ScenarioRow, incomplete: number, lastError: string): Record<string, unknown> {
  const { name, nextRunMs, lastRunMs } = scenario;
  const state = readState(scenario);
  const until = 'untilMs' in state ? ` until ${formatInstant(state.untilMs)}` : '';
  const reason = state.kind === 'inactive' ? ` (${state.reason})` : '';
  return {
    name,
    state: `${state.kind}${until}${reason}`,
    errors: state.errors,
    'next run': formatInstant(nextRunMs) ?? '',
    'last run': formatInstant(lastRunMs) ?? '',
    incomplete,
    'last error': lastError,
  };
}

async function act(
  { desk, store, secrets }: Opened,
  action: Exclude<Action, 'list' | 'stuck'>,
  name: string,
): Promise<string> {
  switch (action) {
    case 'on':
      await desk.activate(name);
      return `The scenario "${printableLine(name)}" is on.\n`;
    case 'off':
      await desk.deactivate(name);
      return `The scenario "${printableLine(name)}" is off. Its events wait.\n`;
    case 'retry':
      await desk.retry(readId(name, 'incomplete execution'));
      return `The incomplete execution ${name} will be retried.\n`;
    case 'discard':
      await desk.discard(readId(name, 'incomplete execution'));
      return `The incomplete execution ${name} is discarded.\n`;
    case 'show': {
      const scenario = await desk.get(name);
      const hook = scenario.hookId === null ? undefined : await store.get('hooks', { id: scenario.hookId });
      const address = hook === undefined ? {} : { address: await pathOfHook(store, hook) };
      const triggerState = copyStored(scenario.triggerState);
      const incompletes = await desk.incompletes(name);
      const known = await secrets.forScenario(scenario);
      const shown = shownScenario({ ...scenario, triggerState }, incompletes, known);
      return `${printPrettyJson({ ...address, ...shown })}\n`;
    }
  }
}
