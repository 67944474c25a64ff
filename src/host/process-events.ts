import { EngineError } from '../errors/engine-error.js';
import { fromPortable } from '../util/portable-value.js';
import type { Claim, Wanted } from './claim.js';
import type { HostContext } from './work/context.js';
import type { LedgerEntry, WorkContext } from './event-ledger.js';
import { roomFor } from './incomplete-room.js';
import { eventJob } from './job.js';
import type { FlowReport, FlowRequest } from './work/ports.js';
import type { Settlement } from './work/settle.js';
import type { EventRow } from './store/tables.js';

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
  context: WorkContext,
  wanted: Wanted,
  options: ProcessOptions,
): Promise<Processed> {
  const { checkpoint, ledger } = context;
  const { signal } = options;
  signal.throwIfAborted();
  checkpoint('event: before the claim');
  let { next: claim } = await ledger.enter({ wanted, signal });
  let count = 0;
  while (claim !== undefined) {
    checkpoint('event: claimed');
    const report = await runClaim(context, claim, options);
    if (report === undefined) return { count, isCut: 'hookId' in wanted };
    checkpoint('event: run');
    const isLast = !options.mayGoOn() || 'eventId' in wanted;
    claim = await settle(context, {
      settled: { claim, report },
      wanted: isLast ? undefined : wanted,
      signal,
    });
    count++;
    if (isLast) return { count, isCut: 'hookId' in wanted };
  }
  return { count, isCut: signal.aborted && 'hookId' in wanted };
}

/** Undefined where the run was stopped: the event waits again, and nothing else has changed. */
async function runClaim(
  context: WorkContext,
  claim: Claim,
  { signal, onAnswer }: ProcessOptions,
): Promise<FlowReport | undefined> {
  const { event, scenario } = claim;
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
    await putBack(context, event).catch(context.onError);
    context.ledger.drop(claim);
    return undefined;
  }
}

/** The event is the next of its lane again. */
async function putBack({ store, queue, worker, clock }: HostContext, event: EventRow): Promise<void> {
  const mine = { id: event.id, status: 'running', claimedBy: worker.name() } as const;
  await store.transaction(async (writer) => {
    const freed = await writer.update('events', mine, { status: 'pending', claimedBy: null });
    if (freed > 0) await queue.add(writer, [eventJob(event, clock.now())]);
  });
}

/** What is no outcome of an app: a defect. The event is kept for a person. */
export function defectReport({ onError }: HostContext, error: unknown): FlowReport {
  onError(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof EngineError ? error.toJSON() : { name: 'UnexpectedError', message };
  const outcome = { kind: 'error', type: 'UnknownError' } as const;
  return { outcome, error: known, incompletes: [], triggerState: undefined };
}

/** @returns the next event of the lane */
async function settle(
  context: WorkContext,
  entry: LedgerEntry & { readonly settled: Settlement },
): Promise<Claim | undefined> {
  const { ledger, checkpoint } = context;
  const { claim } = entry.settled;
  const { next, notification } = await ledger
    .enter(entry)
    .catch((error: unknown) => {
      if (entry.signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
      // What no repeat can store would hold up its lane for ever; the event is put aside without it.
      return ledger.enter({ ...entry, settled: { claim, report: defectReport(context, error) } });
    })
    .catch((error: unknown) => {
      ledger.drop(claim);
      throw error;
    });
  checkpoint('event: committed');
  context.queue.wake();
  if (notification !== undefined) {
    context.onNotify({ scenario: claim.scenario.name, message: notification });
  }
  return next;
}
