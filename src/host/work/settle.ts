import { nextState, type StoredExecution } from '../../scenario/next-state.js';
import type { ScenarioState } from '../../scenario/scenario-state.js';
import type { HostContext } from '../context.js';
import type { FlowOutcome, IncompleteDraft } from '../ports.js';
import { assertOwned, type Turn } from '../queue/host-queue.js';
import { scenarioIdOf } from '../queue/scenario-keys.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import { dropStored, measureStored } from '../store/stored-value.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import type { Claim, EventClaim, IncompleteClaim, OpenTurn, ScheduledClaim } from './claim.js';
import { findDue, START_COLUMNS } from './due-work.js';
import { resolveEnd, type Settled } from './run-scenario.js';
import { planAfter } from './schedule.js';

/**
 * Stores the results of runs: inputs, states of scenarios, incomplete executions. Ends the turns whose last row this
 * is. Most events succeed without further changes and share statements.
 *
 * @returns per run the effect on its scenario, undefined if none
 * @throws EngineError (HOST_LEASE) if another process took over one of the rows
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
): Promise<readonly (Settled | undefined)[]> {
  const nowMs = context.clock.now();
  const counts = countByTurn(settlements);
  const ending = [...counts].filter(([turn, count]) => turn.open <= count).map(([{ turn }]) => turn);
  await context.queue.lock(writer, ending);
  const successes = settlements.filter(isSuccess);
  const states = await readStates(writer, successes);
  const plain = new Set<Settlement>(
    successes.filter((one) => leavesState(states.get(one.claim.scenario.id), one, nowMs)),
  );
  await endEvents(
    writer,
    context,
    successes.filter((one) => plain.has(one)),
  );
  const settled = new Map<Settlement, Settled | undefined>();
  // One global order prevents deadlocks of transactions that lock the same scenarios.
  const others = settlements.filter((one) => !plain.has(one));
  for (const one of others.toSorted((a, b) => scenarioOf(a) - scenarioOf(b))) {
    settled.set(one, await settleOne(writer, context, one));
  }
  await noteRuns(writer, successes, states, nowMs);
  await endTurns(writer, context, ending);
  writer.afterCommit(() => {
    for (const [turn, count] of counts) turn.open -= count;
  });
  return settlements.map((one) => settled.get(one));
}

function turnOf(settlement: Settlement): OpenTurn | undefined {
  return settlement.claim === undefined ? settlement.turn : settlement.claim.turn;
}

function scenarioOf(settlement: Settlement): number {
  return settlement.claim?.scenario.id ?? 0;
}

function countByTurn(settlements: readonly Settlement[]): ReadonlyMap<OpenTurn, number> {
  const counts = new Map<OpenTurn, number>();
  for (const one of settlements) {
    const turn = turnOf(one);
    if (turn !== undefined) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  }
  return counts;
}

/** Ends turns after their last result. A key gets another turn if its scenario may start something. */
async function endTurns(
  writer: HostWriter,
  { queue, clock }: HostContext,
  turns: readonly Turn[],
): Promise<void> {
  if (turns.length === 0) return;
  const id = [...new Set(turns.map(({ key }) => scenarioIdOf(key)))];
  const scenarios = await writer.find('scenarios', { where: { id }, columns: START_COLUMNS });
  await queue.end(writer, turns, await findDue(writer, scenarios, clock.now()));
}

/** An event whose run has no results to store except its end. */
interface SuccessSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is a successful event. */
export function isSuccess(settlement: Settlement): settlement is SuccessSettlement {
  return settlement.claim?.kind === 'event' && endedWell(settlement);
}

/** Whether a run ended without an error and stored no incomplete execution. */
export function endedWell({ report }: Settlement): boolean {
  if (report === undefined || typeof report === 'string') return false;
  const { outcome, error, incompletes } = report;
  const isWell = outcome.kind === 'success' || outcome.kind === 'warning';
  return isWell && error === undefined && incompletes.length === 0;
}

type KnownState = Pick<ScenarioRow, 'id' | 'state' | 'lastRunMs'>;

async function readStates(
  writer: HostWriter,
  settlements: readonly SuccessSettlement[],
): Promise<ReadonlyMap<number, KnownState>> {
  const id = [...new Set(settlements.map(({ claim }) => claim.scenario.id))];
  if (id.length === 0) return new Map();
  const rows = await writer.find('scenarios', { where: { id }, columns: ['state', 'lastRunMs'] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the state of the scenario stays unchanged, as in most runs. */
function leavesState(
  fresh: KnownState | undefined,
  { claim, report }: SuccessSettlement,
  nowMs: number,
): boolean {
  const { settings } = readPlan(claim.scenario);
  const present = (fresh ?? claim.scenario).state;
  const { state } = nextState(readState({ state: present }), settings, report.outcome, nowMs);
  return isSameState(state, present);
}

async function endEvents(
  writer: HostWriter,
  { clock }: HostContext,
  settlements: readonly SuccessSettlement[],
): Promise<void> {
  if (settlements.length === 0) return;
  const id = settlements.map(({ claim }) => claim.event.id);
  const turn = [...new Set(settlements.map(({ claim }) => claim.mark))];
  const done = { status: 'done', error: null, finishedAtMs: clock.now(), ...RELEASED } as const;
  assertOwned(await writer.update('events', { id, status: 'running', turn }, done), id.length);
}

/** Minimum interval of writes of the last run time of a busy scenario. */
const NOTE_EVERY_MS = 1000;

async function noteRuns(
  writer: HostWriter,
  settlements: readonly SuccessSettlement[],
  states: ReadonlyMap<number, KnownState>,
  nowMs: number,
): Promise<void> {
  const ids = new Set(settlements.map(({ claim }) => claim.scenario.id));
  const id = [...ids].filter((one) => Math.abs(nowMs - (states.get(one)?.lastRunMs ?? 0)) >= NOTE_EVERY_MS);
  if (id.length > 0) await writer.update('scenarios', { id }, { lastRunMs: nowMs });
}

/** Minimum delay, so that a failure is not repeated in a tight loop. */
const MIN_WAIT_MS = 1000;

/** The process recorded an end, so the work did not crash it. */
const RELEASED = { crashes: 0, crashesAlone: 0, turn: null } as const;
const NOT_CRASHED = { crashes: 0, crashesAlone: 0 } as const;

/** Claimed work and the report of its run. */
export type Settlement =
  | { readonly claim: Claim; readonly report: FlowOutcome }
  /** A scheduled run whose events were settled one by one. */
  | { readonly claim: ScheduledClaim; readonly report: undefined }
  /** An aborted run, or an event that was taken and not started: its input waits again. */
  | { readonly claim: Claim; readonly report: 'stopped' | 'untouched' }
  /** A turn that started nothing. */
  | { readonly claim?: undefined; readonly turn: OpenTurn; readonly report?: undefined };

/**
 * Stores the results of one run.
 *
 * @returns undefined if the scenario is unaffected
 * @throws EngineError (HOST_LEASE) if another process took over the row
 */
async function settleOne(
  writer: HostWriter,
  context: HostContext,
  { claim, report }: Settlement,
): Promise<Settled | undefined> {
  if (claim === undefined) return undefined;
  if (report === 'stopped' || report === 'untouched') {
    await putBack(writer, claim, report === 'untouched');
    return undefined;
  }
  // Only a scheduled run whose events were settled one by one has no report.
  if (claim.kind === 'scheduled') return settlePoll(writer, context, claim, report);
  if (report === undefined) return undefined;
  return claim.kind === 'event'
    ? settleEvent(writer, context, claim, report)
    : settleIncomplete(writer, context, claim, report);
}

/** Makes the input of claimed work wait again. */
async function putBack(writer: HostWriter, claim: Claim, isUntouched: boolean): Promise<void> {
  if (claim.kind === 'event') {
    const { event, mark } = claim;
    const attempts = isUntouched ? event.attempts - 1 : event.attempts;
    const mine = { id: event.id, status: 'running', turn: mark } as const;
    const change = { status: 'pending', notBeforeMs: event.notBeforeMs, attempts, ...RELEASED } as const;
    assertOwned(await writer.update('events', mine, change), 1);
  } else if (claim.kind === 'incomplete') {
    const mine = { id: claim.incomplete.id, status: 'running', turn: claim.mark } as const;
    assertOwned(await writer.update('incompletes', mine, { status: 'waiting', ...RELEASED }), 1);
  } else await writer.update('scenarios', { id: claim.scenario.id }, NOT_CRASHED);
}

async function settleEvent(
  writer: HostWriter,
  context: HostContext,
  { event, scenario, mark }: EventClaim,
  report: FlowOutcome,
): Promise<Settled> {
  const { clock } = context;
  const mine = { id: event.id, status: 'running', turn: mark } as const;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const nowMs = clock.now();
  const error = report.error ?? null;
  if (end === 'again') {
    const notBeforeMs = nowMs + Math.max(MIN_WAIT_MS, transition.delayMs ?? 0);
    const waits = { status: 'pending', error, notBeforeMs, ...RELEASED } as const;
    const { bundlesDone = 0 } = report;
    // Completed bundles are not processed again.
    const left = bundlesDone === 0 ? {} : { bundles: dropStored(event.bundles, bundlesDone) };
    assertOwned(await writer.update('events', mine, { ...waits, ...left }), 1);
    writer.afterCommit(() => context.dueAt(notBeforeMs));
  } else {
    const over = { status: end, error, finishedAtMs: nowMs, ...RELEASED } as const;
    assertOwned(await writer.update('events', mine, over), 1);
  }
  await addIncompletes(writer, context, scenario, report.incompletes);
  return { transition, end };
}

async function settleIncomplete(
  writer: HostWriter,
  context: HostContext,
  { incomplete, scenario, mark }: IncompleteClaim,
  report: FlowOutcome,
): Promise<Settled> {
  const mine = { id: incomplete.id, status: 'running', turn: mark } as const;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const [own, ...further] = report.incompletes;
  const error = own?.error ?? report.error ?? incomplete.error;
  if (own !== undefined) {
    const change = { error, ...RELEASED, ...toResolution(own.stored), ...toExecution(own) };
    assertOwned(await writer.update('incompletes', mine, change), 1);
    const { retryAtMs } = change;
    if (retryAtMs !== null) writer.afterCommit(() => context.dueAt(retryAtMs));
  } else {
    const status = report.outcome.kind === 'error' ? 'unresolved' : 'resolved';
    const finishedAtMs = status === 'resolved' ? context.clock.now() : null;
    const change = { error, ...RELEASED, status, finishedAtMs, retryAtMs: null } as const;
    assertOwned(await writer.update('incompletes', mine, change), 1);
  }
  await addIncompletes(writer, context, scenario, further);
  return { transition, end: own?.stored.resolution === 'automatic' ? 'again' : end };
}

/**
 * Invariant: the state of the trigger is written in the transaction that records the results of all earlier items.
 */
async function settlePoll(
  writer: HostWriter,
  context: HostContext,
  { scenario, turn }: ScheduledClaim,
  report: FlowOutcome | undefined,
): Promise<Settled | undefined> {
  const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
  await context.queue.renew(writer, [turn.turn]);
  if (fresh === undefined) return undefined;
  if (report === undefined) {
    await planNext(writer, context, fresh, readState(fresh));
    return undefined;
  }
  const { transition, end } = await moveState(writer, context, scenario, report);
  const triggerState = end === 'done' ? (report.triggerState ?? report.progressState) : report.progressState;
  if (triggerState !== undefined) await writer.update('scenarios', { id: scenario.id }, { triggerState });
  await addIncompletes(writer, context, scenario, report.incompletes);
  await planNext(writer, context, fresh, transition.state);
  return { transition, end };
}

async function planNext(
  writer: HostWriter,
  { clock, dueAt }: HostContext,
  fresh: ScenarioRow,
  state: ScenarioState,
): Promise<void> {
  const lastRunMs = clock.now();
  const planned = await planAfter(readPlan(fresh), state, fresh.scheduledMs, lastRunMs);
  await writer.update('scenarios', { id: fresh.id }, { ...planned, ...NOT_CRASHED, lastRunMs });
  const { nextRunMs } = planned;
  if (nextRunMs !== null) writer.afterCommit(() => dueAt(nextRunMs));
}

/**
 * Stores the next state of a scenario. Does not lock an unchanged one, because a scenario may have many concurrent
 * runs.
 */
async function moveState(
  writer: HostWriter,
  { clock, dueAt }: HostContext,
  scenario: ScenarioRow,
  report: FlowOutcome,
): Promise<Settled> {
  const nowMs = clock.now();
  const { settings } = readPlan(scenario);
  const fresh = (await writer.get('scenarios', { id: scenario.id })) ?? scenario;
  const transition = nextState(readState(fresh), settings, report.outcome, nowMs);
  if (isSameState(transition.state, fresh.state) && report.error === undefined) {
    return { transition, end: resolveEnd(report.outcome, transition) };
  }
  const locked = (await writer.getLocked('scenarios', { id: scenario.id }, 'update')) ?? fresh;
  const moved = nextState(readState(locked), settings, report.outcome, nowMs);
  const lastError = report.error ?? locked.lastError;
  await writer.update('scenarios', { id: scenario.id }, { state: moved.state, lastRunMs: nowMs, lastError });
  const { state } = moved;
  if ('untilMs' in state) writer.afterCommit(() => dueAt(state.untilMs));
  return { transition: moved, end: resolveEnd(report.outcome, moved) };
}

/** Stores incomplete executions. */
export async function addIncompletes(
  writer: HostWriter,
  { clock, dueAt }: HostContext,
  scenario: ScenarioRow,
  drafts: readonly IncompleteDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const rows = drafts.map((draft) => ({
    scenarioId: scenario.id,
    ...toExecution(draft),
    error: draft.error,
    createdAtMs: clock.now(),
    ...RELEASED,
    finishedAtMs: null,
    ...toResolution(draft.stored),
  }));
  await writer.insertAll('incompletes', rows);
  writer.afterCommit(() => {
    for (const { retryAtMs } of rows) if (retryAtMs !== null) dueAt(retryAtMs);
  });
}

/** The columns of the execution. */
function toExecution({ execution }: IncompleteDraft): Pick<IncompleteRow, 'execution' | 'bytes'> {
  return { execution, bytes: measureStored(execution) };
}

/** The columns of the retry. */
function toResolution(stored: StoredExecution): Pick<IncompleteRow, 'status' | 'attempts' | 'retryAtMs'> {
  return stored.resolution === 'automatic'
    ? { status: 'waiting', attempts: stored.attempt, retryAtMs: stored.atMs }
    : { status: 'unresolved', attempts: 0, retryAtMs: null };
}

/** States are plain data with stable member order. */
function isSameState(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
