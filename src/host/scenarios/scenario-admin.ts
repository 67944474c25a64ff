import { nextState } from '../../scenario/next-state.js';
import {
  completeSettings,
  NEW_SCENARIO,
  nextStart,
  type ScenarioState,
} from '../../scenario/scenario-state.js';
import {
  ANY_BOOLEAN,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { type AdminOptions, checkAdminOptions } from '../events/event-admin.js';
import { toPlanColumns, wakeAll, wakeScenarios } from '../queue/scenario-keys.js';
import {
  assertCanAnswer,
  assertFits,
  findPlanError,
  readPlan,
  readState,
  type ScenarioPlan,
  type StoredPlan,
} from '../store/scenario-plan.js';
import { showStored } from '../store/stored-value.js';
import type { HostStore, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import { OPEN_INCOMPLETES } from '../work/claim.js';
import { findDue } from '../work/due-work.js';
import { type PlannedRun, planFirst } from '../work/schedule.js';

/** Input of `put`. */
export interface CreateScenarioInput {
  /** Unique name. */
  readonly name: string;
  readonly plan: ScenarioPlan;
  /** The hook whose events it processes; absent for polling triggers. */
  readonly hookId?: number | undefined;
  /**
   * Whom the slots of its runs count for: `share` limits the slots per tenant while another one waits. Default: the
   * name.
   */
  readonly tenant?: string | undefined;
}

/** Manages scenarios from any process with access to the store. */
export interface ScenarioAdmin {
  readonly list: () => Promise<readonly ScenarioRow[]>;
  /** @throws EngineError (HOST_MISSING) */
  readonly get: (name: string) => Promise<ScenarioRow>;
  /**
   * Creates an active scenario, or replaces the plan of the existing one and keeps its state.
   *
   * @throws EngineError (USAGE) for an unknown, missing or invalid member; (HOST_REFUSED) if the plan is invalid or too large, or the hook belongs to another scenario
   */
  readonly put: (wanted: CreateScenarioInput) => Promise<ScenarioRow>;
  /** Activates the scenario and processes its waiting events. @throws EngineError (HOST_MISSING) */
  readonly activate: (name: string) => Promise<ScenarioRow>;
  /** Deactivates the scenario. Incoming events wait. @throws EngineError (HOST_MISSING) */
  readonly deactivate: (name: string) => Promise<ScenarioRow>;
  /**
   * Removes the scenario and discards its incomplete executions. Keeps its hook. @throws EngineError (HOST_MISSING)
   */
  readonly remove: (name: string) => Promise<void>;
  /** Lists incomplete executions that are neither resolved nor discarded. */
  readonly incompletes: (name: string) => Promise<readonly IncompleteRow[]>;
  /** Retries an incomplete execution now. @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly retry: (incompleteId: number) => Promise<void>;
  /** @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly discard: (incompleteId: number) => Promise<void>;
}

const INPUT_SHAPES: OptionShapes<CreateScenarioInput> = {
  name: ANY_TEXT,
  plan: ANY_OBJECT,
  hookId: wholeNumber(1),
  tenant: ANY_TEXT,
};
const PLAN_SHAPES: OptionShapes<ScenarioPlan> = {
  settings: ANY_OBJECT,
  everyMs: wholeNumber(1),
  cron: ANY_OBJECT,
  ordered: ANY_BOOLEAN,
  answers: ANY_BOOLEAN,
  flow: ANY_VALUE,
};

/** @throws EngineError (USAGE) */
function assertInput(wanted: CreateScenarioInput): void {
  checkOptions(wanted, INPUT_SHAPES, 'The scenario of put', ['name', 'plan']);
  const { plan } = wanted;
  checkOptions(plan, PLAN_SHAPES, 'The plan of put', ['settings', 'ordered', 'answers']);
  if (!Object.hasOwn(plan, 'flow')) throw new EngineError('USAGE', 'The plan of put: "flow" is missing.');
  // Complete settings are required: later defaults must not change a stored scenario.
  const missing = Object.keys(completeSettings(plan.settings)).find(
    (name) => !Object.hasOwn(plan.settings, name),
  );
  if (missing !== undefined) {
    throw new EngineError('USAGE', `The plan of put: missing setting "${missing}". Use completeSettings.`);
  }
}

/** Every change names its rows and locks those it depends on. */
const COMMITTED = { isolation: 'read-committed' } as const;

/**
 * Manages the scenarios of a store.
 *
 * @throws EngineError (USAGE) for an unknown, missing or invalid option
 */
export function createScenarioAdmin(options: AdminOptions): ScenarioAdmin {
  checkAdminOptions(options, 'createScenarioAdmin');
  const { store, clock } = options;
  const get = async (name: string): Promise<ScenarioRow> => {
    const row = await store.get('scenarios', { name });
    if (row === undefined) throw new EngineError('HOST_MISSING', `Unknown scenario "${name}".`);
    return row;
  };
  return {
    get,
    list: () => store.find('scenarios', { sortBy: 'name' }),
    put: async (wanted) => {
      assertInput(wanted);
      await store.transaction((writer) => putScenario(writer, options, wanted), COMMITTED);
      return get(wanted.name);
    },
    remove: async (name) => {
      const { id } = await get(name);
      await store.transaction((writer) => removeScenario(writer, id, clock.now()), COMMITTED);
    },
    activate: async (name) => {
      await turn(options, await get(name), 'turned-on');
      return get(name);
    },
    deactivate: async (name) => {
      await turn(options, await get(name), 'turned-off');
      return get(name);
    },
    incompletes: async (name) => {
      const { id } = await get(name);
      const rows = await store.find('incompletes', { where: { scenarioId: id, status: OPEN_INCOMPLETES } });
      return rows.map((row) => ({ ...row, execution: showStored(row.execution) }));
    },
    retry: (id) => changeIncomplete(options, id, { status: 'waiting', retryAtMs: clock.now() }),
    discard: (id) =>
      changeIncomplete(options, id, { status: 'discarded', retryAtMs: null, finishedAtMs: clock.now() }),
  };
}

/** Does not read the queue, whatever its length. Activating a suspended scenario ends the suspension. [inf] */
async function turn(
  { store, queue, clock }: AdminOptions,
  { id, tenant }: ScenarioRow,
  kind: 'turned-on' | 'turned-off',
): Promise<void> {
  await store.transaction(async (writer) => {
    await wakeScenarios(writer, queue, [{ id, tenant }]);
    const row = await writer.getLocked('scenarios', { id }, 'update');
    if (row === undefined) return;
    const nowMs = clock.now();
    const plan = readPlan(row);
    const present = readState(row);
    const isSuspended = present.kind === 'delayed' || present.kind === 'backoff';
    const before = isSuspended
      ? nextState(present, plan.settings, { kind: 'turned-off' }, nowMs).state
      : present;
    const { state } = nextState(before, plan.settings, { kind }, nowMs);
    if (kind === 'turned-off') {
      await writer.update('scenarios', { id }, { state, scheduledMs: null, nextRunMs: null });
      return;
    }
    const isFresh = before.kind === 'inactive';
    const planned: Partial<PlannedRun> = isFresh ? await planFirst(plan, row.lastRunMs, nowMs) : {};
    await writer.update('scenarios', { id }, { state, ...planned });
    if (isFresh && row.hookId !== null) {
      const waiting = { hookId: row.hookId, status: 'pending', notBeforeMs: { above: nowMs } } as const;
      await writer.update('events', waiting, { notBeforeMs: nowMs });
    }
  }, COMMITTED);
}

async function changeIncomplete(
  { store, queue }: AdminOptions,
  id: number,
  change: Partial<IncompleteRow>,
): Promise<void> {
  const present = await store.get('incompletes', { id });
  if (present === undefined) throw new EngineError('HOST_MISSING', `Unknown incomplete execution ${id}.`);
  await store.transaction(async (writer) => {
    const where = { id: present.scenarioId };
    await wakeScenarios(writer, queue, await writer.find('scenarios', { where, columns: ['tenant'] }));
    const open = { id, status: ['waiting', 'unresolved'] } as const;
    const changed = await writer.update('incompletes', open, { ...change, crashes: 0, crashesAlone: 0 });
    if (changed === 0) {
      throw new EngineError('HOST_REFUSED', `The incomplete execution ${id} is ${present.status}.`);
    }
  }, COMMITTED);
}

async function removeScenario(writer: HostWriter, id: number, nowMs: number): Promise<void> {
  const open = { scenarioId: id, status: ['waiting', 'unresolved'] } as const;
  const change = { status: 'discarded', retryAtMs: null, finishedAtMs: nowMs } as const;
  await writer.update('incompletes', open, change);
  await writer.remove('scenarios', { id });
}

async function putScenario(
  writer: HostWriter,
  { queue, clock }: AdminOptions,
  { name, plan, hookId: hookInput, tenant = name }: CreateScenarioInput,
): Promise<void> {
  assertCanAnswer(name, plan);
  assertFits(name, plan);
  const hookId = hookInput ?? null;
  // Storing an event for a hook without a scenario locks the hook as well, so that one of both transactions wakes the
  // key.
  const known = await writer.get('scenarios', { name });
  const hasHadHook = hookId !== null || (known !== undefined && readPlan(known).hasHadHook);
  const stored: StoredPlan = { ...plan, hasHadHook };
  if (known !== undefined && isSame(known, { plan: stored, hookId, tenant })) return;
  await wakeScenarios(writer, queue, known === undefined ? [] : [known]);
  if (hookId !== null) await writer.getLocked('hooks', { id: hookId }, 'update');
  const present = await writer.getLocked('scenarios', { name }, 'update');
  const taken = hookId === null ? undefined : await writer.get('scenarios', { hookId });
  if (taken !== undefined && taken.name !== name) {
    throw new EngineError('HOST_REFUSED', `The hook of "${name}" belongs to the scenario "${taken.name}".`);
  }
  const nowMs = clock.now();
  const state: ScenarioState = present === undefined ? NEW_SCENARIO : repairState(present);
  const planned = await planChanged(plan, present, state, nowMs);
  const change = { definition: stored, hookId, tenant, ...toPlanColumns(plan), ...planned };
  if (present !== undefined) {
    await writer.update('scenarios', { id: present.id }, { ...change, state });
    return;
  }
  const scenario = await insertScenario(writer, name, { ...change, state });
  // Events may wait for the hook. A key without work would wait behind busy keys, also when its first event arrives.
  await wakeAll(writer, queue, await findDue(writer, [scenario], nowMs), false);
}

async function insertScenario(
  writer: HostWriter,
  name: string,
  change: Omit<ScenarioRow, 'id' | 'name' | keyof typeof NEW_ROW>,
): Promise<ScenarioRow> {
  return writer.insert('scenarios', { name, ...change, ...NEW_ROW });
}

const NEW_ROW = {
  ...{ triggerState: null, lastRunMs: null, lastError: null, attempts: 0, crashes: 0, crashesAlone: 0 },
} as const;

/** A scenario that went off because its plan could not be read is on again with a plan that can. */
function repairState(present: ScenarioRow): ScenarioState {
  return findPlanError(present) === undefined ? readState(present) : NEW_SCENARIO;
}

/** A restart with an unchanged file must not change the schedule. */
function isSame(
  present: ScenarioRow,
  { plan, hookId, tenant }: Pick<ScenarioRow, 'hookId' | 'tenant'> & { readonly plan: StoredPlan },
): boolean {
  if (findPlanError(present) !== undefined) return false;
  const isUnmoved = present.hookId === hookId && present.tenant === tenant;
  return isUnmoved && JSON.stringify(present.definition) === JSON.stringify(plan);
}

/** Another interval or calendar applies at once. Other changes keep the schedule. */
async function planChanged(
  plan: ScenarioPlan,
  present: ScenarioRow | undefined,
  state: ScenarioState,
  nowMs: number,
): Promise<PlannedRun> {
  if (state.kind === 'inactive') return { scheduledMs: null, nextRunMs: null };
  if (present === undefined) return planFirst(plan, null, nowMs);
  const before = readPlan(present);
  const isUnchanged =
    before.everyMs === plan.everyMs && JSON.stringify(before.cron) === JSON.stringify(plan.cron);
  const { scheduledMs, nextRunMs } = present;
  if (isUnchanged) return { scheduledMs, nextRunMs };
  const planned = await planFirst(plan, present.lastRunMs, nowMs);
  // A suspension takes precedence over the schedule.
  return state.kind === 'delayed' ? { ...planned, nextRunMs: state.untilMs } : planned;
}

/** Waiting work and its wait reason. */
export interface Stuck {
  readonly scenario: string;
  /** Number of waiting events. */
  readonly waiting: number;
  /** Age of the oldest one in milliseconds; null without waiting events. */
  readonly oldestMs: number | null;
  /** The wait reason in words, and how to resolve it. */
  readonly why: string;
}

/** A working host starts due work immediately. After this delay, something is wrong. */
const LATE_MS = 30_000;

/** Lists work that waits and why, to find out where an event is. */
export async function findStuck(store: HostStore, nowMs: number): Promise<readonly Stuck[]> {
  const scenarios = await store.find('scenarios', { sortBy: 'name' });
  const waiting = await store.countBy('events', 'hookId', { status: 'pending' });
  const dead = await store.countBy('events', 'hookId', { status: 'dead' });
  const unresolved = await store.countBy('incompletes', 'scenarioId', { status: 'unresolved' });
  const running = await store.countBy('events', 'hookId', { status: 'running' });
  const stuck: Stuck[] = [];
  for (const row of scenarios) {
    const count = waiting.get(row.hookId ?? 0) ?? 0;
    const oldestMs = count === 0 || row.hookId === null ? null : await ageOfOldest(store, row.hookId, nowMs);
    const reasons = [
      whyItRests(row, nowMs, unresolved.get(row.id) ?? 0, count) ??
        whyItIsLate({ oldestMs, running: running.get(row.hookId ?? 0) ?? 0 }),
      describeCount(dead.get(row.hookId ?? 0), 'dead event', 'iml events replay or discard'),
      describeCount(unresolved.get(row.id), 'unresolved execution', 'iml scenarios retry or discard'),
    ];
    const why = reasons.filter((reason) => reason !== undefined).join('; ');
    if (why !== '') stuck.push({ scenario: row.name, waiting: count, oldestMs, why });
  }
  return stuck;
}

function describeCount(count: number | undefined, what: string, remedy: string): string | undefined {
  return count === undefined ? undefined : `${count} ${what}${count === 1 ? '' : 's'} (${remedy})`;
}

function whyItRests(
  row: ScenarioRow,
  nowMs: number,
  unresolved: number,
  waiting: number,
): string | undefined {
  const state = readState(row);
  const { settings } = readPlan(row);
  if (state.kind === 'inactive') return `off (${state.reason}); iml scenarios on starts it`;
  if (state.kind === 'delayed' && state.untilMs > nowMs)
    return `suspended until ${formatTime(state.untilMs)}`;
  if (state.kind === 'backoff')
    return `backing off, attempt ${state.attempt}, next ${formatTime(state.untilMs)}`;
  const start = nextStart(state, settings, { kind: 'run', nowMs, unresolved });
  if (start.kind === 'wait') return 'sequential: it waits for an execution to be resolved';
  if (waiting === 0 || settings.scheduling !== 'timed') return undefined;
  return row.nextRunMs === null ? undefined : `processes waiting events at ${formatTime(row.nextRunMs)}`;
}

/** Why startable work is late. */
function whyItIsLate({
  oldestMs,
  running,
}: {
  readonly oldestMs: number | null;
  readonly running: number;
}): string | undefined {
  if (oldestMs === null) return undefined;
  if (oldestMs < LATE_MS) return undefined;
  return running === 0
    ? 'due, but no host processes it: start iml serve, or check its /health'
    : `late, ${running} of it under way`;
}

async function ageOfOldest(store: HostStore, hookId: number, nowMs: number): Promise<number | null> {
  const columns = ['receivedAtMs'] as const;
  const [event] = await store.find('events', { where: { hookId, status: 'pending' }, columns, limit: 1 });
  return event === undefined ? null : Math.max(0, nowMs - event.receivedAtMs);
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
