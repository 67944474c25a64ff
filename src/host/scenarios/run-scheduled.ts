import { EngineError } from '../../errors/engine-error.js';
import type { ScenarioState } from '../../scenario/state/scenario-state.js';
import { processEvent } from '../events/process-event.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, ScenarioRow } from '../store/tables.js';
import type { ClaimRequest, EventClaim, ScheduledClaim } from '../work/claim.js';
import type { HostContext } from '../work/context.js';
import { persist } from '../work/persist.js';
import type { FlowOutcome, PollProgress } from '../work/ports.js';
import { defectReport, observeEnd, runScenario, type Settled } from '../work/run-scenario.js';
import { planAfter } from '../work/schedule.js';
import { addIncompletes, moveState } from '../work/settle.js';
import type { WorkContext } from '../work/work-context.js';
import type { WorkAnswer } from '../work/work-log.js';

export interface ScheduledOptions {
  readonly signal: AbortSignal;
  readonly onRan: () => void;
  /** No further event is begun. */
  readonly isStopping: () => boolean;
}

/** The run of a schedule: a poll, or what the webhook has gathered by then. Plans the next one. */
export async function runScheduled(
  context: WorkContext,
  claim: ScheduledClaim,
  options: ScheduledOptions,
): Promise<void> {
  context.checkpoint('scenario: started');
  try {
    if (claim.scenario.hookId === null) await poll(context, claim, options);
    else await takeQueue(context, claim, options);
  } finally {
    context.log.drop('scenarios', claim.scenario.id);
  }
  context.checkpoint('scenario: committed');
}

/**
 * One run of a scenario that starts with a polling trigger.
 *
 * Invariant: the state of the trigger is written in a transaction that says what became of all items before it.
 */
async function poll(
  context: HostContext,
  { scenario, isAlone }: ScheduledClaim,
  { signal, onRan }: ScheduledOptions,
): Promise<void> {
  const run = await runScenario(context, {
    scenario,
    source: { kind: 'poll' },
    signal,
    attempt: scenario.crashes + 1,
    onProgress: (progress) =>
      persist(context, signal, (writer) => saveProgress(writer, context, scenario, { progress, isAlone })),
    dueAtMs: scenario.nextRunMs ?? context.clock.now(),
  });
  onRan();
  const { report } = run;
  if (report === undefined) {
    await giveBack(context, scenario).catch(context.onError);
    observeEnd(context, run, undefined);
    return;
  }
  context.checkpoint('scenario: run');
  const commit = (given: FlowOutcome): Promise<Settled | undefined> =>
    persist(context, signal, async (writer) => {
      const fresh = await lockOwn(writer, context, scenario);
      if (fresh === undefined) return undefined;
      const { transition, end } = await moveState(writer, context, scenario, given);
      const triggerState = end === 'done' ? (given.triggerState ?? given.progressState) : given.progressState;
      if (triggerState !== undefined) await writer.update('scenarios', { id: scenario.id }, { triggerState });
      await addIncompletes(writer, context, scenario, given.incompletes);
      await planNext(writer, context, fresh, transition.state);
      context.checkpoint('scenario: before the commit');
      return { transition, end };
    });
  const settled = await commit(report).catch((error: unknown) => {
    if (signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
    return commit(defectReport(context, error));
  });
  observeEnd(context, run, settled);
}

/** What is through now is not done again, should the process end; and who makes headway is not given up. */
async function saveProgress(
  writer: HostWriter,
  context: HostContext,
  scenario: ScenarioRow,
  { progress, isAlone }: { readonly progress: PollProgress; readonly isAlone: boolean },
): Promise<void> {
  const fresh = await lockOwn(writer, context, scenario);
  const { triggerState, incompletes } = progress;
  // A transaction before this one may have come through, though its answer was lost with the connection.
  if (fresh === undefined) {
    throw new EngineError('HOST_LEASE', `Others have taken over the scenario "${scenario.name}".`);
  }
  if (JSON.stringify(fresh.triggerState) === JSON.stringify(triggerState)) return;
  const counts = { crashes: 1, crashesAlone: isAlone ? 1 : 0 };
  await writer.update('scenarios', { id: scenario.id }, { triggerState, ...counts });
  await addIncompletes(writer, context, scenario, incompletes);
  context.checkpoint('scenario: progress');
}

/** One run of a scenario that takes what its webhook has gathered, event by event. */
async function takeQueue(
  context: WorkContext,
  { scenario, isAlone }: ScheduledClaim,
  { signal, onRan, isStopping }: ScheduledOptions,
): Promise<void> {
  const request: ClaimRequest = { scenarioId: scenario.id, max: 1, isAlone, isScheduled: true };
  const findEvent = (answer: WorkAnswer | undefined): EventClaim | undefined =>
    answer?.claimed.flatMap(({ claims }) => claims).find((claim) => claim.kind === 'event');
  let left = context.limits.maxEventsPerRun;
  try {
    let claim = findEvent(await context.log.write({ requests: [request], signal }));
    while (claim !== undefined) {
      left--;
      const requests = (): readonly ClaimRequest[] => (left > 0 && !isStopping() ? [request] : []);
      claim = findEvent(await processEvent(context, claim, { signal, requests }));
    }
  } finally {
    onRan();
  }
  if (signal.aborted) {
    await giveBack(context, scenario).catch(context.onError);
    return;
  }
  await persist(context, signal, async (writer) => {
    const fresh = await lockOwn(writer, context, scenario);
    if (fresh !== undefined) await planNext(writer, context, fresh, readState(fresh));
  });
}

/** Undefined where a transaction before this one came through, though its answer was lost with the connection. */
async function lockOwn(
  writer: HostWriter,
  { worker }: HostContext,
  { id }: ScenarioRow,
): Promise<ScenarioRow | undefined> {
  await worker.assertOwn(writer);
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
  const free = { claimedBy: null, crashes: 0, crashesAlone: 0 };
  await writer.update('scenarios', { id: fresh.id }, { ...planned, ...free, lastRunMs });
}

/** A run that was stopped is due still, and begins again with the same state. */
async function giveBack({ store, worker }: HostContext, { id }: ScenarioRow): Promise<void> {
  const free = { claimedBy: null, crashes: 0, crashesAlone: 0 };
  await store.transaction((writer) => writer.update('scenarios', { id, claimedBy: worker.name() }, free));
}
