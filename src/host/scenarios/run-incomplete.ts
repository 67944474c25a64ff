import { EngineError } from '../../errors/engine-error.js';
import type { HostWriter } from '../store/tables.js';
import type { IncompleteClaim } from '../work/claim.js';
import type { HostContext } from '../work/context.js';
import { persist } from '../work/persist.js';
import type { FlowOutcome } from '../work/ports.js';
import { defectReport, observeEnd, runScenario, type Settled } from '../work/run-scenario.js';
import { addIncompletes, moveState, toResolution } from '../work/settle.js';
import type { WorkContext } from '../work/work-context.js';

/** Tries an incomplete execution again, and writes down what follows. */
export async function runIncomplete(
  context: WorkContext,
  claim: IncompleteClaim,
  { signal, onRan }: { readonly signal: AbortSignal; readonly onRan: () => void },
): Promise<void> {
  const { incomplete, scenario } = claim;
  context.checkpoint('incomplete: claimed');
  const run = await runScenario(context, {
    scenario,
    source: { kind: 'incomplete', execution: incomplete.execution, incomplete },
    signal,
    attempt: incomplete.attempts,
    dueAtMs: incomplete.retryAtMs ?? incomplete.createdAtMs,
  });
  onRan();
  try {
    await settleRun(context, claim, run.report, signal).then((settled) => observeEnd(context, run, settled));
  } finally {
    context.log.drop('incompletes', incomplete.id);
  }
}

async function settleRun(
  context: HostContext,
  claim: IncompleteClaim,
  report: FlowOutcome | undefined,
  signal: AbortSignal,
): Promise<Settled | undefined> {
  if (report === undefined) {
    await putBack(context, claim).catch(context.onError);
    return undefined;
  }
  context.checkpoint('incomplete: run');
  const commit = (given: FlowOutcome): Promise<Settled | undefined> =>
    persist(context, signal, async (writer) => {
      const settled = await settle(writer, context, claim, given);
      context.checkpoint('incomplete: before the commit');
      return settled;
    });
  const settled = await commit(report).catch((error: unknown) => {
    if (signal.aborted || (error instanceof EngineError && error.code === 'HOST_LEASE')) throw error;
    return commit(defectReport(context, error));
  });
  context.checkpoint('incomplete: committed');
  return settled;
}

async function settle(
  writer: HostWriter,
  context: HostContext,
  { incomplete, scenario }: IncompleteClaim,
  report: FlowOutcome,
): Promise<Settled | undefined> {
  await context.worker.assertOwn(writer);
  const mine = { id: incomplete.id, status: 'running', claimedBy: context.worker.name() } as const;
  // A transaction before this one may have come through, though its answer was lost with the connection.
  if ((await writer.getLocked('incompletes', mine, 'update')) === undefined) return undefined;
  const { transition, end } = await moveState(writer, context, scenario, report);
  const [own, ...further] = report.incompletes;
  const error = own?.error ?? report.error ?? incomplete.error;
  const free = { error, claimedBy: null, crashes: 0, crashesAlone: 0 };
  if (own !== undefined) {
    const change = { ...toResolution(own.stored), execution: own.execution };
    await writer.update('incompletes', mine, { ...free, ...change });
  } else {
    const status = report.outcome.kind === 'error' ? 'unresolved' : 'resolved';
    const finishedAtMs = status === 'resolved' ? context.clock.now() : null;
    await writer.update('incompletes', mine, { ...free, status, finishedAtMs, retryAtMs: null });
  }
  await addIncompletes(writer, context, scenario, further);
  return { transition, end: own?.stored.resolution === 'automatic' ? 'again' : end };
}

/** A retry that was stopped waits again. */
async function putBack({ store, worker }: HostContext, { incomplete }: IncompleteClaim): Promise<void> {
  const mine = { id: incomplete.id, status: 'running', claimedBy: worker.name() } as const;
  const free = { status: 'waiting', claimedBy: null, crashes: 0, crashesAlone: 0 } as const;
  await store.transaction((writer) => writer.update('incompletes', mine, free));
}
