import { EngineError } from '../../errors/engine-error.js';
import type { ClaimRequest, EventClaim, ScheduledClaim } from '../claim/claim.js';
import { locateClaim } from '../claim/held-work.js';
import type { HostContext } from '../ports/context.js';
import type { PollProgress } from '../ports/ports.js';
import { isSameKept } from '../store/kept-value.js';
import type { HostWriter } from '../store/tables.js';
import { addIncompletes } from '../work/move-state.js';
import { persist } from '../work/persist.js';
import { runClaim } from '../work/run-claim.js';
import { lockOwnScenario } from '../work/settle-one.js';
import type { WorkAnswer, WorkContext } from '../work/work-log.js';

export interface ScheduledOptions {
  readonly signal: AbortSignal;
  readonly onRan: () => void;
  /** No further event is begun. */
  readonly isStopping: () => boolean;
}

/** The run of a schedule: a poll, or what the webhook has gathered by then. */
export async function runScheduled(
  context: WorkContext,
  claim: ScheduledClaim,
  options: ScheduledOptions,
): Promise<void> {
  if (claim.scenario.hookId !== null) return takeQueue(context, claim, options);
  const { signal, onRan } = options;
  const onProgress = (progress: PollProgress): Promise<void> =>
    persist(context, signal, (writer) => saveProgress(writer, context, claim, progress));
  await runClaim(context, claim, { signal, onRan, onProgress });
}

/** What is through now is not done again, should the process end; and who makes headway is not given up. */
async function saveProgress(
  writer: HostWriter,
  context: HostContext,
  { scenario, isAlone }: ScheduledClaim,
  { triggerState, incompletes }: PollProgress,
): Promise<void> {
  await context.worker.assertOwn(writer);
  const fresh = await lockOwnScenario(writer, context, scenario);
  // A transaction before this one may have come through, though its answer was lost with the connection.
  if (fresh === undefined) {
    throw new EngineError('HOST_LEASE', `Others have taken over the scenario "${scenario.name}".`);
  }
  if (isSameKept(fresh.triggerState, triggerState)) return;
  const counts = { crashes: 1, crashesAlone: isAlone ? 1 : 0 };
  await writer.update('scenarios', { id: scenario.id }, { triggerState, ...counts });
  await addIncompletes(writer, context, scenario, incompletes);
  context.checkpoint('scenario: progress');
}

/** One run of a scenario that takes what its webhook has gathered, event by event. */
async function takeQueue(
  context: WorkContext,
  claim: ScheduledClaim,
  { signal, onRan, isStopping }: ScheduledOptions,
): Promise<void> {
  const { log } = context;
  const { scenario, isAlone } = claim;
  const request: ClaimRequest = { scenarioId: scenario.id, max: 1, isAlone, isScheduled: true };
  const findEvent = (answer: WorkAnswer | undefined): EventClaim | undefined =>
    answer?.claimed.flatMap(({ claims }) => claims).find((one) => one.kind === 'event');
  let left = context.limits.maxEventsPerRun;
  const requests = (): readonly ClaimRequest[] => (left > 0 && !isStopping() ? [request] : []);
  try {
    let event = findEvent(await log.write({ requests: [request], signal }));
    while (event !== undefined) {
      left--;
      event = findEvent(await runClaim(context, event, { signal, requests }));
    }
    onRan();
    // One that was stopped is due still; it waits again as the process leaves.
    signal.throwIfAborted();
    await log.write({ settled: { claim, report: undefined }, signal });
  } catch (error) {
    onRan();
    log.drop(...locateClaim(claim));
    throw error;
  }
}
