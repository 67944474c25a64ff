import { nextState, type StoredExecution } from '../../scenario/next-state.js';
import type { HostContext } from '../context.js';
import type { FlowOutcome, IncompleteDraft } from '../ports.js';
import { retryJob } from '../queue/scenario-jobs.js';
import { measureStored } from '../store/kept-value.js';
import { readPlan, readState } from '../store/scenario-plan.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';
import type { Settled } from './run-scenario.js';
import { resolveEnd } from './work-end.js';

/**
 * Stores the next state of a scenario. Does not lock an unchanged one, because a scenario may have many concurrent
 * runs.
 */
export async function moveState(
  writer: HostWriter,
  { clock }: HostContext,
  scenario: ScenarioRow,
  report: FlowOutcome,
): Promise<Settled> {
  const nowMs = clock.now();
  const { settings } = readPlan(scenario);
  const fresh = (await writer.get('scenarios', { id: scenario.id })) ?? scenario;
  const transition = nextState(readState(fresh), settings, report.outcome, nowMs);
  if (isSameState(transition.state, fresh.state) && report.error === undefined) {
    return { transition, end: resolveEnd(report.outcome, transition) };
  }
  const locked = (await writer.getLocked('scenarios', { id: scenario.id }, 'update')) ?? fresh;
  const moved = nextState(readState(locked), settings, report.outcome, nowMs);
  const lastError = report.error ?? locked.lastError;
  await writer.update('scenarios', { id: scenario.id }, { state: moved.state, lastRunMs: nowMs, lastError });
  return { transition: moved, end: resolveEnd(report.outcome, moved) };
}

/** Stores incomplete executions. */
export async function addIncompletes(
  writer: HostWriter,
  { clock, queue }: HostContext,
  scenario: ScenarioRow,
  drafts: readonly IncompleteDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const nowMs = clock.now();
  const rows = await writer.insertAll(
    'incompletes',
    drafts.map((draft) => ({
      scenarioId: scenario.id,
      ...toExecution(draft),
      error: draft.error,
      createdAtMs: nowMs,
      crashes: 0,
      crashesAlone: 0,
      finishedAtMs: null,
      ...toResolution(draft.stored),
    })),
  );
  const waiting = rows.filter(({ status }) => status === 'waiting');
  await queue.enqueue(
    writer,
    waiting.map(({ id, retryAtMs }) => retryJob(scenario, id, retryAtMs)),
  );
}

/** The columns of the execution. */
export function toExecution({ execution }: IncompleteDraft): Pick<IncompleteRow, 'execution' | 'bytes'> {
  return { execution, bytes: measureStored(execution) };
}

/** The columns of the retry. */
export function toResolution(
  stored: StoredExecution,
): Pick<IncompleteRow, 'status' | 'attempts' | 'retryAtMs'> {
  return stored.resolution === 'automatic'
    ? { status: 'waiting', attempts: stored.attempt, retryAtMs: stored.atMs }
    : { status: 'unresolved', attempts: 0, retryAtMs: null };
}

/** States are plain data with stable member order. */
export function isSameState(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
