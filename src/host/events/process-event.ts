import { EngineError } from '../../errors/engine-error.js';
import { fromPortable } from '../../util/portable-value.js';
import type { EventRow } from '../store/tables.js';
import type { EventClaim } from '../work/claim.js';
import type { HostContext } from '../work/context.js';
import type { FlowRequest } from '../work/ports.js';
import { defectReport, type EndedRun, observeEnd, runScenario } from '../work/run-scenario.js';
import type { WorkContext } from '../work/work-context.js';
import type { WorkAnswer, WorkEntry } from '../work/work-log.js';

export interface ProcessOptions {
  readonly signal: AbortSignal;
  /** Called when the flow has run, before that is written down. */
  readonly onRan?: (() => void) | undefined;
  readonly onAnswer?: FlowRequest['onAnswer'];
  /** What is wanted in the transaction that settles the event. */
  readonly requests?: (() => WorkEntry['requests']) | undefined;
}

/**
 * Runs the flow of an event that was taken, and writes down what follows.
 *
 * The event is done only once that transaction is through. If the process ends before, the event is processed again.
 *
 * @returns what the transaction gave; undefined where the run was stopped, and the event waits again
 */
export async function processEvent(
  context: WorkContext,
  claim: EventClaim,
  options: ProcessOptions,
): Promise<WorkAnswer | undefined> {
  const { event, scenario } = claim;
  const { signal, onAnswer } = options;
  context.checkpoint('event: claimed');
  const bundles = fromPortable(event.bundles);
  const run = await runScenario(context, {
    scenario,
    source: { kind: 'event', bundles: Array.isArray(bundles) ? bundles : [], event },
    signal,
    onAnswer,
    attempt: event.attempts,
    dueAtMs: event.notBeforeMs ?? event.receivedAtMs,
  });
  options.onRan?.();
  const { report } = run;
  if (report === undefined) {
    await putBack(context, event).catch(context.onError);
    context.log.drop('events', event.id);
    observeEnd(context, run, undefined);
    return undefined;
  }
  context.checkpoint('event: run');
  const requests = options.requests?.();
  return settle(context, run, { settled: { claim, report }, requests, signal }, claim);
}

/** The event is the next of its hook again. */
async function putBack({ store, worker }: HostContext, event: EventRow): Promise<void> {
  const mine = { id: event.id, status: 'running', claimedBy: worker.name() } as const;
  const free = { status: 'pending', claimedBy: null, crashes: 0, crashesAlone: 0 } as const;
  await store.transaction((writer) => writer.update('events', mine, free), { isolation: 'read-committed' });
}

async function settle(
  context: WorkContext,
  run: EndedRun,
  entry: WorkEntry,
  claim: EventClaim,
): Promise<WorkAnswer> {
  const { log, checkpoint } = context;
  const answer = await log
    .write(entry)
    .catch((error: unknown) => {
      if (entry.signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
      // What no repeat can store would hold up its hook for ever; the event is put aside without it.
      return log.write({ ...entry, settled: { claim, report: defectReport(context, error) } });
    })
    .catch((error: unknown) => {
      log.drop('events', claim.event.id);
      throw error;
    });
  checkpoint('event: committed');
  observeEnd(context, run, answer.settled);
  return answer;
}
