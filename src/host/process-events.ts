import { EngineError } from '../errors/engine-error.js';
import { fromPortable } from '../util/portable-value.js';
import { type Claim, claimNext, type Wanted } from './claim.js';
import type { HostContext } from './context.js';
import { roomFor } from './incomplete-room.js';
import { eventJob } from './job.js';
import { persist } from './persist.js';
import type { FlowReport, FlowRequest } from './ports.js';
import { settleEvent } from './settle.js';
import type { HostWriter } from './tables.js';

export interface ProcessOptions {
  readonly signal: AbortSignal;
  /** Whether another event may be started after this one. Asked between events. */
  readonly mayGoOn: () => boolean;
  readonly onAnswer?: FlowRequest['onAnswer'];
}

/** How a series of events ended. */
export interface Processed {
  readonly count: number;
  /** Whether it ended because it may not go on, with more events perhaps waiting. */
  readonly isCut: boolean;
}

/**
 * Processes events one after the other: takes one, runs the flow, writes down what follows, and takes the next in the
 * same transaction.
 *
 * An event is done only once that transaction is through. If the process ends before, the event is processed again.
 */
export async function processEvents(
  context: HostContext,
  wanted: Wanted,
  options: ProcessOptions,
): Promise<Processed> {
  const { checkpoint, store } = context;
  checkpoint('event: before the claim');
  let claim = await store.transaction(
    async (writer) => {
      await context.worker.assertOwn(writer);
      return claimNext(writer, context, wanted);
    },
    { isolation: 'read-committed' },
  );
  let count = 0;
  while (claim !== undefined) {
    checkpoint('event: claimed');
    const report = await runClaim(context, claim, options);
    if (report === undefined) return { count, isCut: true };
    checkpoint('event: run');
    const isLast = !options.mayGoOn() || 'eventId' in wanted;
    claim = await settleAndClaim(context, { claim, report, isLast, wanted }, options.signal);
    count++;
    if (isLast) return { count, isCut: 'hookId' in wanted };
  }
  return { count, isCut: false };
}

/** Undefined where the run was stopped: the event waits again, and nothing else has changed. */
async function runClaim(
  context: HostContext,
  { event, scenario }: Claim,
  { signal, onAnswer }: ProcessOptions,
): Promise<FlowReport | undefined> {
  const bundles = fromPortable(event.bundles);
  try {
    return await context.flows.run({
      scenario,
      room: await roomFor(context, scenario, signal),
      source: { kind: 'event', bundles: Array.isArray(bundles) ? bundles : [], event },
      signal,
      onAnswer,
    });
  } catch (error) {
    if (!signal.aborted) return defectReport(context, error);
    const job = eventJob(event, context.clock.now());
    const mine = { id: event.id, status: 'running', claimedBy: context.worker.name() } as const;
    await context.store
      .transaction(async (writer) => {
        const freed = await writer.update('events', mine, { status: 'pending', claimedBy: null });
        if (freed > 0) await context.queue.add(writer, [job]);
      })
      .catch(context.onError);
    return undefined;
  }
}

/** What is no outcome of an app: a defect. The event is kept for a person. */
export function defectReport({ onError }: HostContext, error: unknown): FlowReport {
  onError(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof EngineError ? error.toJSON() : { name: 'UnexpectedError', message };
  const outcome = { kind: 'error', type: 'UnknownError' } as const;
  return { outcome, error: known, incompletes: [], triggerState: undefined };
}

interface Step {
  readonly claim: Claim;
  readonly report: FlowReport;
  readonly isLast: boolean;
  readonly wanted: Wanted;
}

async function settleAndClaim(
  context: HostContext,
  { claim, report, isLast, wanted }: Step,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const commit = (
    given: FlowReport,
  ): Promise<{ next: Claim | undefined; notification: string | undefined }> =>
    persist(context, signal, async (writer: HostWriter) => {
      const { notification } = await settleEvent(writer, context, claim, given);
      const next = isLast ? undefined : await claimNext(writer, context, wanted);
      context.checkpoint('event: before the commit');
      return { next, notification };
    });
  const { next, notification } = await commit(report).catch((error: unknown) => {
    if (signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
    // What no repeat can store would hold up its lane for ever; the event is put aside without it.
    return commit(defectReport(context, error));
  });
  context.checkpoint('event: committed');
  context.queue.wake();
  if (notification !== undefined) {
    context.onNotify({ scenario: claim.scenario.name, message: notification });
  }
  return next;
}
