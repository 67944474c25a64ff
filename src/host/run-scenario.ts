import { EngineError } from '../errors/engine-error.js';
import type { ScenarioState } from '../scenario/state/scenario-state.js';
import { mayStart } from './claim.js';
import type { HostContext } from './work/context.js';
import type { WorkContext } from './event-ledger.js';
import { roomFor } from './incomplete-room.js';
import type { Job } from './job.js';
import { persist } from './work/persist.js';
import type { FlowReport } from './work/ports.js';
import { defectReport, processEvents } from './process-events.js';
import { nextRunAfter, scenarioJob } from './scenario-job.js';
import { planOf, stateOf } from './scenario-plan.js';
import { addIncompletes, moveState } from './work/settle.js';
import type { HostWriter, ScenarioRow } from './store/tables.js';

/** Runs a scenario on a schedule if its time has come, and plans the next run. */
export async function runScenario(
  context: WorkContext,
  id: number,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<void> {
  signal.throwIfAborted();
  context.checkpoint('scenario: before the start');
  const started = await persist(context, signal, (writer) => start(writer, context, id));
  if (started === undefined) return;
  context.checkpoint('scenario: started');
  if (started.scenario.hookId === null) await poll(context, started, signal);
  else await takeQueue(context, started, signal, isStopping);
}

interface Started {
  readonly scenario: ScenarioRow;
  readonly everyMs: number;
}

interface Ended extends Started {
  readonly endedAtMs: number;
}

async function start(writer: HostWriter, context: HostContext, id: number): Promise<Started | undefined> {
  await context.worker.assertOwn(writer);
  const scenario = await writer.get('scenarios', { id });
  if (scenario === undefined) return undefined;
  const { everyMs } = planOf(scenario);
  if (everyMs === undefined) return undefined;
  const nowMs = context.clock.now();
  if (scenario.nextRunMs !== null && scenario.nextRunMs > nowMs) {
    await context.queue.add(writer, [scenarioJob(scenario, scenario.nextRunMs)]);
    return undefined;
  }
  const later = (atMs: number): Job => scenarioJob(scenario, atMs);
  return (await mayStart(writer, context, { scenario, kind: 'run', later }))
    ? { scenario, everyMs }
    : undefined;
}

/**
 * One run of a scenario that starts with a polling trigger.
 *
 * Invariant: the state of the trigger is written in the transaction that says what became of all its items, and only
 * if none of them has to be fetched again.
 */
async function poll(
  context: HostContext,
  { scenario, everyMs }: Started,
  signal: AbortSignal,
): Promise<void> {
  let report: FlowReport;
  try {
    const room = await roomFor(context, scenario, signal);
    report = await context.flows.run({ scenario, source: { kind: 'poll' }, room, signal });
  } catch (error) {
    // The job stands until it is done, so a run that was stopped starts again with the same state.
    if (signal.aborted) throw error;
    report = defectReport(context, error);
  }
  context.checkpoint('scenario: run');
  // What marks the transaction: no run of a scenario ends before the one before it.
  const endedAtMs = Math.max(context.clock.now(), (scenario.lastRunMs ?? 0) + 1);
  const commit = (given: FlowReport): Promise<string | undefined> =>
    persist(context, signal, async (writer) => {
      await context.worker.assertOwn(writer);
      const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
      // A transaction before this one may have come through, though its answer was lost with the connection.
      if (fresh === undefined || fresh.lastRunMs === endedAtMs) return undefined;
      const { transition, fate } = await moveState(writer, context, scenario, given);
      const isThrough = fate === 'done' && given.triggerState !== undefined;
      if (isThrough) {
        await writer.update('scenarios', { id: scenario.id }, { triggerState: given.triggerState });
      }
      await addIncompletes(writer, context, scenario, given.incompletes);
      await planNext(writer, context, { scenario: fresh, everyMs, endedAtMs }, transition.state);
      context.checkpoint('scenario: before the commit');
      return transition.notify;
    });
  const notification = await commit(report).catch((error: unknown) => {
    if (signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
    return commit(defectReport(context, error));
  });
  context.checkpoint('scenario: committed');
  context.queue.wake();
  if (notification !== undefined) context.onNotify({ scenario: scenario.name, message: notification });
}

/** One run of a scenario that takes what its webhook has gathered. */
async function takeQueue(
  context: WorkContext,
  { scenario, everyMs }: Started,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<void> {
  let left = context.limits.maxEventsPerRun;
  const mayGoOn = (): boolean => --left > 0 && !isStopping();
  await processEvents(context, { hookId: scenario.hookId ?? 0, isTimed: true }, { signal, mayGoOn });
  await persist(context, signal, async (writer) => {
    await context.worker.assertOwn(writer);
    const fresh = await writer.getLocked('scenarios', { id: scenario.id }, 'update');
    if (fresh === undefined) return;
    const endedAtMs = context.clock.now();
    await planNext(writer, context, { scenario: fresh, everyMs, endedAtMs }, stateOf(fresh));
  });
  context.checkpoint('scenario: committed');
  context.queue.wake();
}

/**
 * A suspension ends with a run of its own. During a backoff the usual schedule goes on, so whatever comes first.
 * Source: reference/errors-and-scenario.md (Backoff). [doc]
 */
async function planNext(
  writer: HostWriter,
  { queue }: HostContext,
  { scenario, everyMs, endedAtMs }: Ended,
  state: ScenarioState,
): Promise<void> {
  const scheduled = nextRunAfter(scenario.nextRunMs ?? endedAtMs, everyMs, endedAtMs);
  const nextRunMs = startAfter(state, scheduled);
  await writer.update('scenarios', { id: scenario.id }, { lastRunMs: endedAtMs, nextRunMs });
  if (nextRunMs !== null) await queue.add(writer, [scenarioJob(scenario, nextRunMs)]);
}

function startAfter(state: ScenarioState, scheduledMs: number): number | null {
  switch (state.kind) {
    case 'inactive':
      return null;
    case 'delayed':
      return state.untilMs;
    case 'backoff':
      return Math.min(state.untilMs, scheduledMs);
    default:
      return scheduledMs;
  }
}
