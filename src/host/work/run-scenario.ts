import { randomUUID } from 'node:crypto';
import { reactionTo } from '../../scenario/error-reactions.js';
import type { Transition } from '../../scenario/next-state.js';
import type { RunOutcome } from '../../scenario/scenario-state.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { translateErrors } from '../../shared/store/sql-database.js';
import { inSpan } from '../../shared/tracing.js';
import type { HostContext } from '../context.js';
import { findHookRows } from '../hooks/hooks.js';
import type { RunSource } from '../observer.js';
import type { FlowOutcome, FlowRequest, FlowSource } from '../ports.js';
import { readPlan } from '../store/scenario-plan.js';
import { readCallId, readTraceparent } from '../store/stored-value.js';
import type { HookRow, HostWriter, ScenarioRow } from '../store/tables.js';
import { OPEN_INCOMPLETES } from './claim.js';

/** A finished run for observers. */
export interface EndedRun {
  readonly runId: string;
  readonly scenario: string;
  readonly source: RunSource;
  readonly startedAtMs: number;
  /** Undefined if the signal aborted the run. */
  readonly report: FlowOutcome | undefined;
}

export interface WantedRun {
  readonly scenario: ScenarioRow;
  readonly source: FlowSource;
  readonly signal: AbortSignal;
  readonly onAnswer?: FlowRequest['onAnswer'];
  readonly onProgress?: FlowRequest['onProgress'];
  readonly attempt: number;
  /** Since when the work was due. */
  readonly dueAtMs: number;
}

/** Runs a flow. Never rejects: a bug is an outcome, and an aborted run has none. */
export function runScenario(context: HostContext, wanted: WantedRun): Promise<EndedRun> {
  const { scenario, source, onAnswer, attempt } = wanted;
  const run = { runId: randomUUID(), scenario: scenario.name, source: describeSource(source) };
  const attributes = {
    'iml.run_id': run.runId,
    'iml.scenario': scenario.name,
    'iml.source': source.kind,
    'iml.attempt': attempt,
    'iml.call_id': 'callId' in run.source ? run.source.callId : undefined,
    'iml.event_id': source.kind === 'event' ? source.event.id : undefined,
    'iml.incomplete_id': source.kind === 'incomplete' ? source.incomplete.id : undefined,
  };
  // A run whose sender waits is part of the call. Others would inherit an unrelated async context.
  const isRoot = onAnswer === undefined;
  const linkedTo = source.kind === 'event' ? readTraceparent(source.event) : undefined;
  return inSpan(
    context.tracing,
    { name: 'iml run', kind: 'consumer', attributes, isRoot, linkedTo },
    async (span) => {
      const ended = await runInSpan(context, wanted, run);
      const { report } = ended;
      span.set({ 'iml.outcome': report?.outcome.kind ?? 'stopped' });
      if (report?.error !== undefined) span.fail(String(report.error['message'] ?? report.outcome.kind));
      return ended;
    },
  );
}

async function runInSpan(
  context: HostContext,
  wanted: WantedRun,
  run: Pick<EndedRun, 'runId' | 'scenario' | 'source'>,
): Promise<EndedRun> {
  const { scenario, source, signal, onAnswer, onProgress, attempt } = wanted;
  const startedAtMs = context.clock.now();
  const waitedMs = Math.max(0, startedAtMs - wanted.dueAtMs);
  context.observe({ kind: 'run-started', ...run, attempt, waitedMs });
  try {
    const room = await countFreeIncompletes(context, scenario, signal);
    const hookId = source.kind === 'event' ? source.event.hookId : scenario.hookId;
    const findHooks = (): Promise<readonly HookRow[]> =>
      persist(context, signal, async (writer) => (hookId === null ? [] : findHookRows(writer, hookId)));
    const request = { scenario, room, source, signal, onAnswer, onProgress, findHooks };
    const report = await context.flows.run(request);
    return { ...run, startedAtMs, report };
  } catch (error) {
    return { ...run, startedAtMs, report: signal.aborted ? undefined : defectReport(context, error) };
  }
}

/**
 * Remaining incomplete executions of a scenario. Concurrent failures may exceed it slightly. Waits for an unavailable
 * store, which is no error of the flow.
 */
async function countFreeIncompletes(
  context: HostContext,
  scenario: ScenarioRow,
  signal: AbortSignal,
): Promise<number> {
  const { maxIncompletes } = context.limits;
  if (!readPlan(scenario).settings.storeIncomplete) return maxIncompletes;
  const open = { scenarioId: scenario.id, status: OPEN_INCOMPLETES };
  const count = await persist(context, signal, (writer) => writer.count('incompletes', open));
  return Math.max(0, maxIncompletes - count);
}

/** The outcome of a bug. The input of the run waits for a person. */
export function defectReport({ onError }: Pick<HostContext, 'onError'>, error: unknown): FlowOutcome {
  onError(error);
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof EngineError ? error.toJSON() : { name: 'UnexpectedError', message };
  const outcome = { kind: 'error', type: 'UnknownError' } as const;
  return { outcome, error: known, incompletes: [], triggerState: undefined };
}

/** Result of a run for its input and scenario. */
export interface Settled {
  readonly transition: Transition;
  readonly end: WorkEnd;
}

/** Notifies observers of a run after it is stored. */
export function observeEnd(context: HostContext, run: EndedRun, settled: Settled | undefined): void {
  const { runId, scenario, source, startedAtMs, report } = run;
  const error = report?.error;
  context.observe({
    kind: 'run-finished',
    runId,
    scenario,
    source,
    error,
    outcome: report?.outcome.kind ?? 'error',
    becomes: report === undefined ? 'stopped' : (settled?.end ?? 'done'),
    incompletes: report?.incompletes.length ?? 0,
    ...(report?.output && { output: report.output }),
    ...(report?.failedAt && { failedAt: report.failedAt }),
    durationMs: context.clock.now() - startedAtMs,
  });
  if (settled === undefined || report === undefined || report.outcome.kind === 'success') return;
  const { state, notify } = settled.transition;
  if (notify !== undefined) context.observe({ kind: 'scenario-off', scenario, reason: notify, error });
  else if (state.kind === 'delayed' || state.kind === 'backoff') {
    context.observe({
      kind: 'scenario-suspended',
      scenario,
      state: state.kind,
      untilMs: state.untilMs,
      error,
    });
  }
}

function describeSource(source: FlowSource): RunSource {
  switch (source.kind) {
    case 'event':
      return {
        kind: 'event',
        eventId: source.event.id,
        hookId: source.event.hookId,
        callId: readCallId(source.event),
      };
    case 'incomplete':
      return { kind: 'incomplete', incompleteId: source.incomplete.id };
    case 'poll':
      return { kind: 'poll' };
  }
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** Errors that a retry of the same transaction may avoid. */
const PASSING: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL', 'STORE_BUSY']);

/** Whether a store may accept a transaction later. */
export function isPassing(error: unknown): boolean {
  return error instanceof EngineError && PASSING.has(error.code);
}

/**
 * Runs a transaction until the store accepts it, because results of a flow must not be lost while the database
 * restarts or the disk is full. Rejects with the abort reason if the signal aborts.
 *
 * @throws any error that a retry cannot avoid
 */
export async function persist<R>(
  context: HostContext,
  signal: AbortSignal,
  work: (writer: HostWriter) => Promise<R>,
): Promise<R> {
  return untilAvailable(context, signal, () =>
    context.store.transaction(work, { isolation: 'read-committed' }),
  );
}

/**
 * Repeats work while the database is not available. Rejects with the abort reason if the signal aborts.
 *
 * @throws any error that a retry cannot avoid
 */
export async function untilAvailable<R>(
  { clock, onError }: Pick<HostContext, 'clock' | 'onError'>,
  signal: AbortSignal,
  work: () => Promise<R>,
): Promise<R> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      // The queue reports errors of its driver.
      return await translateErrors(work);
    } catch (error) {
      if (!isPassing(error)) throw error;
      onError(error);
    }
    await clock.sleep(delayMs, signal);
  }
}

/** Result for the input of a run. */
export type WorkEnd =
  /** Completed. */
  | 'done'
  /** Failed and waits for a person. */
  | 'dead'
  /** Returns to its queue and is retried when the scenario continues. */
  | 'again';

/** Errors of the connection. The event continues after the scenario is activated again. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'InvalidConfigurationError',
  'InvalidAccessTokenError',
]);

/**
 * Returns an event to its queue after an error that it did not cause: rate limit, unavailable API, invalid
 * credentials. Other errors would recur, so the event becomes dead and waits for a replay. Source:
 * https://help.make.com/webhooks: on a failed run the item goes back. [doc] Which errors: [inf]
 */
export function resolveEnd(outcome: RunOutcome, transition: Transition): WorkEnd {
  if (outcome.kind === 'rollback') return 'dead';
  // Stored or ignored errors do not affect the event.
  if (outcome.kind !== 'error' || transition.stored !== undefined || transition.isDiscarded) return 'done';
  const { kind } = reactionTo(outcome.type);
  if (kind === 'suspend' || OF_THE_CONNECTION.has(outcome.type)) return 'again';
  return kind === 'retry' && transition.state.kind !== 'inactive' ? 'again' : 'dead';
}
