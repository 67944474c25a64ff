import { EngineError } from '../errors/engine-error.js';
import { mayStart } from './claim.js';
import type { HostContext } from './work/context.js';
import { roomFor } from './incomplete-room.js';
import type { Job } from './job.js';
import { persist } from './work/persist.js';
import type { FlowReport } from './work/ports.js';
import { defectReport } from './process-events.js';
import { addIncompletes, incompleteJob, moveState, resolutionOf } from './work/settle.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from './store/tables.js';
import { waitingJobs } from './waiting-jobs.js';

interface Started {
  readonly incomplete: IncompleteRow;
  readonly scenario: ScenarioRow;
}

/** Tries incomplete executions again. */
export type IncompleteRunner = (id: number, signal: AbortSignal) => Promise<void>;

export function createIncompleteRunner(context: HostContext): IncompleteRunner {
  /** Those this process works on. */
  const inHand = new Set<number>();
  return async (id, signal) => {
    if (inHand.has(id)) return;
    inHand.add(id);
    try {
      await runIncomplete(context, id, signal);
    } finally {
      inHand.delete(id);
    }
  };
}

/** Tries one if its time has come, and writes down what follows. */
async function runIncomplete(context: HostContext, id: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  context.checkpoint('incomplete: before the claim');
  const started = await persist(context, signal, (writer) => start(writer, context, id));
  if (started === undefined) return;
  context.checkpoint('incomplete: claimed');
  const { incomplete, scenario } = started;
  let report: FlowReport;
  try {
    const source = { kind: 'incomplete', execution: incomplete.execution, incomplete } as const;
    const room = await roomFor(context, scenario, signal);
    report = await context.flows.run({ scenario, source, room, signal });
  } catch (error) {
    if (signal.aborted) {
      await free(context, started).catch(context.onError);
      return;
    }
    report = defectReport(context, error);
  }
  context.checkpoint('incomplete: run');
  const commit = (given: FlowReport): Promise<string | undefined> =>
    persist(context, signal, async (writer) => {
      const notification = await settle(writer, context, started, given);
      context.checkpoint('incomplete: before the commit');
      return notification;
    });
  const notification = await commit(report).catch((error: unknown) => {
    if (signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
    return commit(defectReport(context, error));
  });
  context.checkpoint('incomplete: committed');
  context.queue.wake();
  if (notification !== undefined) context.onNotify({ scenario: scenario.name, message: notification });
}

async function start(writer: HostWriter, context: HostContext, id: number): Promise<Started | undefined> {
  await context.worker.assertOwn(writer);
  const incomplete = await writer.get('incompletes', { id });
  if (incomplete === undefined) return undefined;
  const change = { status: 'running', claimedBy: context.worker.name() } as const;
  // Taken by a transaction whose answer was lost with the connection: nobody works on it.
  const isOrphan = incomplete.status === 'running' && incomplete.claimedBy === change.claimedBy;
  if (incomplete.status !== 'waiting' && !isOrphan) return undefined;
  const scenario = await writer.get('scenarios', { id: incomplete.scenarioId });
  if (scenario === undefined) return undefined;
  if (isOrphan) return { incomplete, scenario };
  const later = (runAtMs: number): Job => incompleteJob(id, scenario, runAtMs);
  if (incomplete.retryAtMs !== null && incomplete.retryAtMs > context.clock.now()) {
    await context.queue.add(writer, [later(incomplete.retryAtMs)]);
    return undefined;
  }
  if (!(await mayStart(writer, context, { scenario, kind: 'retry', later }))) return undefined;
  const taken = await writer.update('incompletes', { id, status: 'waiting' }, change);
  return taken === 1 ? { incomplete: { ...incomplete, ...change }, scenario } : undefined;
}

async function settle(
  writer: HostWriter,
  context: HostContext,
  { incomplete, scenario }: Started,
  report: FlowReport,
): Promise<string | undefined> {
  await context.worker.assertOwn(writer);
  const mine = { id: incomplete.id, status: 'running', claimedBy: context.worker.name() } as const;
  // A transaction before this one may have come through, though its answer was lost with the connection.
  if ((await writer.getLocked('incompletes', mine, 'update')) === undefined) return undefined;
  const { transition } = await moveState(writer, context, scenario, report);
  const [own, ...further] = report.incompletes;
  const error = own?.error ?? report.error ?? incomplete.error;
  if (own !== undefined) {
    const resolution = resolutionOf(own.stored);
    const change = { ...resolution, execution: own.execution, error, claimedBy: null };
    await writer.update('incompletes', mine, change);
    if (resolution.retryAtMs !== null) {
      await context.queue.add(writer, [incompleteJob(incomplete.id, scenario, resolution.retryAtMs)]);
    }
  } else {
    const status = report.outcome.kind === 'error' ? 'unresolved' : 'resolved';
    await writer.update('incompletes', mine, { status, error, claimedBy: null, retryAtMs: null });
    // A sequential scenario has waited for this.
    if (status === 'resolved')
      await context.queue.add(writer, await waitingJobs(writer, scenario, context.clock));
  }
  await addIncompletes(writer, context, scenario, further);
  return transition.notify;
}

/** A retry that was stopped waits again. */
async function free(context: HostContext, { incomplete, scenario }: Started): Promise<void> {
  const mine = { id: incomplete.id, status: 'running', claimedBy: context.worker.name() } as const;
  await context.store.transaction(async (writer) => {
    const freed = await writer.update('incompletes', mine, { status: 'waiting', claimedBy: null });
    if (freed === 0) return;
    await context.queue.add(writer, [incompleteJob(incomplete.id, scenario, context.clock.now())]);
  });
}
