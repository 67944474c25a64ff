import { nextState, type StoredExecution } from '../../scenario/next-state.js';
import type { ScenarioState } from '../../scenario/scenario-state.js';
import type { HostContext } from '../context.js';
import type { FlowOutcome, IncompleteDraft } from '../ports.js';
import type { QueueDelivery, QueueJob } from '../queue/host-queue.js';
import {
  type Claim,
  type EventClaim,
  eventJob,
  type IncompleteClaim,
  retryJob,
  runJob,
  type ScheduledClaim,
} from '../queue/scenario-jobs.js';
import { dropStored, measureStored } from '../store/kept-value.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import { resolveEnd, type Settled } from './run-scenario.js';
import { planAfter } from './schedule.js';

/**
 * Stores the results of runs: inputs, states of scenarios, incomplete executions, jobs. Most events succeed without
 * further changes and share statements.
 *
 * @returns per run the effect on its scenario, undefined if none
 * @throws EngineError (HOST_LEASE) if another process took over one of the jobs
 */
export async function settleAll(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly Settlement[],
): Promise<readonly (Settled | undefined)[]> {
  const nowMs = context.clock.now();
  const through = settlements.filter(isThrough);
  const states = await readStates(writer, through);
  const quiet = new Set<Settlement>(
    through.filter((one) => leavesState(states.get(one.claim.scenario.id), one, nowMs)),
  );
  await endEvents(
    writer,
    context,
    through.filter((one) => quiet.has(one)),
  );
  const settled = new Map<Settlement, Settled | undefined>();
  // One global order prevents deadlocks of transactions that lock the same scenarios.
  const others = settlements.filter((one) => !quiet.has(one));
  for (const one of others.toSorted((a, b) => a.claim.scenario.id - b.claim.scenario.id)) {
    settled.set(one, await settleOne(writer, context, one));
  }
  await noteRuns(writer, through, states, nowMs);
  return settlements.map((one) => settled.get(one));
}

/** An event whose run has no results to store except its end. */
interface QuietSettlement {
  readonly claim: EventClaim;
  readonly report: FlowOutcome;
}

/** Whether it is a successful event. */
function isThrough(settlement: Settlement): settlement is QuietSettlement {
  const { claim, report } = settlement;
  if (claim.kind !== 'event' || report === undefined || report === 'stopped') return false;
  const { outcome, error, incompletes } = report;
  const isWell = outcome.kind === 'success' || outcome.kind === 'warning';
  return isWell && error === undefined && incompletes.length === 0;
}

type KnownState = Pick<ScenarioRow, 'id' | 'state' | 'lastRunMs'>;

async function readStates(
  writer: HostWriter,
  settlements: readonly QuietSettlement[],
): Promise<ReadonlyMap<number, KnownState>> {
  const id = [...new Set(settlements.map(({ claim }) => claim.scenario.id))];
  if (id.length === 0) return new Map();
  const rows = await writer.find('scenarios', { where: { id }, columns: ['state', 'lastRunMs'] });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the state of the scenario stays unchanged, as in most runs. */
function leavesState(
  fresh: KnownState | undefined,
  { claim, report }: QuietSettlement,
  nowMs: number,
): boolean {
  const { settings } = readPlan(claim.scenario);
  const present = (fresh ?? claim.scenario).state;
  const { state } = nextState(readState({ state: present }), settings, report.outcome, nowMs);
  return isSameState(state, present);
}

async function endEvents(
  writer: HostWriter,
  context: HostContext,
  settlements: readonly QuietSettlement[],
): Promise<void> {
  if (settlements.length === 0) return;
  const id = settlements.map(({ claim }) => claim.event.id);
  const done = { status: 'done', error: null, finishedAtMs: context.clock.now(), ...RELEASED } as const;
  // Started together: PostgreSQL pipelines both.
  await Promise.all([
    writer.update('events', { id, status: 'running' }, done),
    completeJobs(
      writer,
      context,
      settlements.map(({ claim }) => claim),
    ),
  ]);
}

/** Minimum interval of writes of the last run time of a busy scenario. */
const NOTE_EVERY_MS = 1000;

async function noteRuns(
  writer: HostWriter,
  settlements: readonly QuietSettlement[],
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
const RELEASED = { crashes: 0, crashesAlone: 0 } as const;

/** Claimed work and the report of its run. */
export type Settlement =
  | { readonly claim: Claim; readonly report: FlowOutcome }
  /** A scheduled run whose events were settled one by one. */
  | { readonly claim: ScheduledClaim; readonly report: undefined }
  /** An aborted run: its input waits again. */
  | { readonly claim: Claim; readonly report: 'stopped' };

/**
 * Stores the results of one run and settles its job.
 *
 * @returns undefined if the scenario is unaffected
 * @throws EngineError (HOST_LEASE) if another process took over the job
 */
async function settleOne(
  writer: HostWriter,
  context: HostContext,
  { claim, report }: Settlement,
): Promise<Settled | undefined> {
  if (report === 'stopped') return stopOne(writer, context, claim);
  switch (claim.kind) {
    case 'event':
      return report && settleEvent(writer, context, claim, report);
    case 'incomplete':
      return report && settleIncomplete(writer, context, claim, report);
    case 'scheduled':
      return report === undefined
        ? endQueue(writer, context, claim)
        : settlePoll(writer, context, claim, report);
  }
}

async function stopOne(writer: HostWriter, { queue, clock }: HostContext, claim: Claim): Promise<undefined> {
  if (claim.kind === 'event') {
    await writer.update(
      'events',
      { id: claim.event.id, status: 'running' },
      { status: 'pending', ...RELEASED },
    );
  } else if (claim.kind === 'incomplete') {
    const waits = { status: 'waiting', ...RELEASED } as const;
    await writer.update('incompletes', { id: claim.incomplete.id, status: 'running' }, waits);
  } else await writer.update('scenarios', { id: claim.scenario.id }, RELEASED);
  if (takesQueue(claim)) return;
  await queue.hold(writer, claim.delivery, clock.now());
}

/** Whether an event belongs to a scheduled run, whose job is settled at its end. */
function takesQueue({ kind, delivery }: Claim): boolean {
  return kind === 'event' && delivery.kind === 'run';
}

/**
 * Removes the job of finished work. If the delivered job is another one of the same key, that one is due again at
 * once.
 */
async function completeJobs(
  writer: HostWriter,
  { queue, clock }: HostContext,
  claims: readonly Claim[],
): Promise<void> {
  const done: QueueDelivery[] = [];
  const others: QueueDelivery[] = [];
  for (const claim of claims) {
    const { delivery } = claim;
    if (takesQueue(claim)) await queue.renew(writer, delivery);
    else if (isOwnJob(claim)) done.push(delivery);
    else {
      others.push(delivery);
      const { kind, rowId, key, isOrdered } = jobOf(claim);
      done.push({ kind, rowId, key, isOrdered });
    }
  }
  if (done.length > 0) await queue.complete(writer, done);
  for (const delivery of others) await queue.hold(writer, delivery, clock.now());
}

function isOwnJob(claim: Claim): boolean {
  const { kind, rowId } = jobOf(claim);
  return kind === claim.delivery.kind && rowId === claim.delivery.rowId;
}

function jobOf(claim: Claim): QueueJob {
  const { scenario } = claim;
  switch (claim.kind) {
    case 'event':
      return eventJob(scenario, claim.event.id);
    case 'incomplete':
      return retryJob(scenario, claim.incomplete.id, null);
    case 'scheduled':
      return runJob(scenario, 0);
  }
}

async function settleEvent(
  writer: HostWriter,
  context: HostContext,
  claim: EventClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const { event, scenario, delivery } = claim;
  const { clock, queue } = context;
  const mine = { id: event.id, status: 'running' } as const;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const nowMs = clock.now();
  const error = report.error ?? null;
  if (end === 'again') {
    const notBeforeMs = nowMs + Math.max(MIN_WAIT_MS, transition.delayMs ?? 0);
    const waits = { status: 'pending', error, notBeforeMs, ...RELEASED } as const;
    const { bundlesDone = 0 } = report;
    // Completed bundles are not processed again.
    const left = bundlesDone === 0 ? {} : { bundles: dropStored(event.bundles, bundlesDone) };
    await writer.update('events', mine, { ...waits, ...left });
    if (takesQueue(claim)) await queue.renew(writer, delivery);
    else await queue.hold(writer, delivery, notBeforeMs);
  } else {
    await writer.update('events', mine, { status: end, error, finishedAtMs: nowMs, ...RELEASED });
    await completeJobs(writer, context, [claim]);
  }
  await addIncompletes(writer, context, scenario, report.incompletes);
  return { transition, end };
}

async function settleIncomplete(
  writer: HostWriter,
  context: HostContext,
  claim: IncompleteClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const { incomplete, scenario } = claim;
  const mine = { id: incomplete.id, status: 'running' } as const;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const [own, ...further] = report.incompletes;
  const error = own?.error ?? report.error ?? incomplete.error;
  await completeJobs(writer, context, [claim]);
  if (own !== undefined) {
    const change = { ...toResolution(own.stored), ...toExecution(own) };
    await writer.update('incompletes', mine, { error, ...RELEASED, ...change });
    if (change.status === 'waiting') {
      await context.queue.enqueue(writer, [retryJob(scenario, incomplete.id, change.retryAtMs)]);
    }
  } else {
    const status = report.outcome.kind === 'error' ? 'unresolved' : 'resolved';
    const finishedAtMs = status === 'resolved' ? context.clock.now() : null;
    await writer.update('incompletes', mine, { error, ...RELEASED, status, finishedAtMs, retryAtMs: null });
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
  claim: ScheduledClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const { scenario } = claim;
  const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
  await completeJobs(writer, context, [claim]);
  if (fresh === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const triggerState = end === 'done' ? (report.triggerState ?? report.progressState) : report.progressState;
  if (triggerState !== undefined) await writer.update('scenarios', { id: scenario.id }, { triggerState });
  await addIncompletes(writer, context, scenario, report.incompletes);
  await planNext(writer, context, fresh, transition.state);
  return { transition, end };
}

async function endQueue(writer: HostWriter, context: HostContext, claim: ScheduledClaim): Promise<undefined> {
  const fresh = await writer.getLocked('scenarios', { id: claim.scenario.id }, 'update');
  await completeJobs(writer, context, [claim]);
  if (fresh !== undefined) await planNext(writer, context, fresh, readState(fresh));
}

async function planNext(
  writer: HostWriter,
  { clock, queue }: HostContext,
  fresh: ScenarioRow,
  state: ScenarioState,
): Promise<void> {
  const lastRunMs = clock.now();
  const planned = await planAfter(readPlan(fresh), state, fresh.scheduledMs, lastRunMs);
  await writer.update('scenarios', { id: fresh.id }, { ...planned, ...RELEASED, lastRunMs });
  if (planned.nextRunMs !== null) await queue.enqueue(writer, [runJob(fresh, planned.nextRunMs)]);
}

/**
 * Stores the next state of a scenario. Does not lock an unchanged one, because a scenario may have many concurrent
 * runs.
 */
async function moveState(
  writer: HostWriter,
  { clock }: HostContext,
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
  return { transition: moved, end: resolveEnd(report.outcome, moved) };
}

/** Stores incomplete executions. */
export async function addIncompletes(
  writer: HostWriter,
  { clock, queue }: HostContext,
  scenario: ScenarioRow,
  drafts: readonly IncompleteDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const nowMs = clock.now();
  const rows = await writer.insertAll(
    'incompletes',
    drafts.map((draft) => ({
      scenarioId: scenario.id,
      ...toExecution(draft),
      error: draft.error,
      createdAtMs: nowMs,
      crashes: 0,
      crashesAlone: 0,
      finishedAtMs: null,
      ...toResolution(draft.stored),
    })),
  );
  const waiting = rows.filter(({ status }) => status === 'waiting');
  await queue.enqueue(
    writer,
    waiting.map(({ id, retryAtMs }) => retryJob(scenario, id, retryAtMs)),
  );
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
