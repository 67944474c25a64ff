import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import type { Claim, EventClaim, IncompleteClaim, ScheduledClaim } from '../claim/claim.js';
import { RELEASED } from '../claim/free-work.js';
import type { HostContext } from '../ports/context.js';
import type { FlowOutcome } from '../ports/ports.js';
import { planAfter } from '../schedule/schedule.js';
import { dropKept } from '../store/kept-value.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import { addIncompletes, moveState, toExecution, toResolution } from './move-state.js';
import type { Settled } from './run-scenario.js';

/** Even where nothing says how long to wait, a failure must not be repeated in a tight loop. */
const MIN_WAIT_MS = 1000;

/** Something that was taken, and what its run ended with. */
export type Settlement =
  | { readonly claim: Claim; readonly report: FlowOutcome }
  /** The run of a schedule whose events were settled one by one. */
  | { readonly claim: ScheduledClaim; readonly report: undefined };

/**
 * Writes down what follows from one run.
 *
 * @returns undefined where it was settled already, by a transaction whose answer was lost with the connection
 */
export async function settleOne(
  writer: HostWriter,
  context: HostContext,
  { claim, report }: Settlement,
): Promise<Settled | undefined> {
  if (report === undefined) return endQueue(writer, context, claim);
  switch (claim.kind) {
    case 'event':
      return settleEvent(writer, context, claim, report);
    case 'incomplete':
      return settleIncomplete(writer, context, claim, report);
    case 'scheduled':
      return settlePoll(writer, context, claim, report);
  }
}

async function settleEvent(
  writer: HostWriter,
  context: HostContext,
  { event, scenario }: EventClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const { clock, worker } = context;
  const mine = { id: event.id, status: 'running', claimedBy: worker.name() } as const;
  if ((await writer.getLocked('events', mine, 'update')) === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const nowMs = clock.now();
  const error = report.error ?? null;
  if (end === 'again') {
    const notBeforeMs = nowMs + Math.max(MIN_WAIT_MS, transition.delayMs ?? 0);
    const waits = { status: 'pending', error, notBeforeMs, ...RELEASED } as const;
    const { bundlesDone = 0 } = report;
    // What is through is not done again.
    const left = bundlesDone === 0 ? {} : { bundles: dropKept(event.bundles, bundlesDone) };
    await writer.update('events', mine, { ...waits, ...left });
  } else {
    await writer.update('events', mine, { status: end, error, finishedAtMs: nowMs, ...RELEASED });
  }
  await addIncompletes(writer, context, scenario, report.incompletes);
  return { transition, end };
}

async function settleIncomplete(
  writer: HostWriter,
  context: HostContext,
  { incomplete, scenario }: IncompleteClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const mine = { id: incomplete.id, status: 'running', claimedBy: context.worker.name() } as const;
  if ((await writer.getLocked('incompletes', mine, 'update')) === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const [own, ...further] = report.incompletes;
  const error = own?.error ?? report.error ?? incomplete.error;
  if (own !== undefined) {
    const change = { ...toResolution(own.stored), ...toExecution(own) };
    await writer.update('incompletes', mine, { error, ...RELEASED, ...change });
  } else {
    const status = report.outcome.kind === 'error' ? 'unresolved' : 'resolved';
    const finishedAtMs = status === 'resolved' ? context.clock.now() : null;
    await writer.update('incompletes', mine, { error, ...RELEASED, status, finishedAtMs, retryAtMs: null });
  }
  await addIncompletes(writer, context, scenario, further);
  return { transition, end: own?.stored.resolution === 'automatic' ? 'again' : end };
}

/** Invariant: the state of the trigger is written in a transaction that says what became of all items before it. */
async function settlePoll(
  writer: HostWriter,
  context: HostContext,
  { scenario }: ScheduledClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  const fresh = await lockOwnScenario(writer, context, scenario);
  if (fresh === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const triggerState = end === 'done' ? (report.triggerState ?? report.progressState) : report.progressState;
  if (triggerState !== undefined) await writer.update('scenarios', { id: scenario.id }, { triggerState });
  await addIncompletes(writer, context, scenario, report.incompletes);
  await planNext(writer, context, fresh, transition.state);
  return { transition, end };
}

async function endQueue(
  writer: HostWriter,
  context: HostContext,
  { scenario }: ScheduledClaim,
): Promise<undefined> {
  const fresh = await lockOwnScenario(writer, context, scenario);
  if (fresh !== undefined) await planNext(writer, context, fresh, readState(fresh));
}

/** Holds a scenario whose scheduled run this process has; undefined where it has not. */
export function lockOwnScenario(
  writer: HostWriter,
  { worker }: HostContext,
  { id }: ScenarioRow,
): Promise<ScenarioRow | undefined> {
  return writer.getLocked('scenarios', { id, claimedBy: worker.name() }, 'update');
}

async function planNext(
  writer: HostWriter,
  { clock }: HostContext,
  fresh: ScenarioRow,
  state: ScenarioState,
): Promise<void> {
  const lastRunMs = clock.now();
  const planned = await planAfter(readPlan(fresh), state, fresh.scheduledMs, lastRunMs);
  await writer.update('scenarios', { id: fresh.id }, { ...planned, ...RELEASED, lastRunMs });
}
