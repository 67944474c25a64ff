import { type Reporting, reporting } from '../engine/component/report.js';
import { EngineError } from '../shared/errors/engine-error.js';
import type { CompiledFlow } from './compile-flow.js';
import type { FlowReport, IncompleteExecution, IncompleteStore } from './flow-report.js';
import { type ResumeOptions, resumeFlow } from './run-flow.js';

/** Lists executions of a flow whose retry is due, oldest first. */
export async function listDue(
  flow: string,
  store: IncompleteStore,
  nowMs: number,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry !== undefined && retry.atMs <= nowMs);
}

/** Lists executions of a flow without an automatic retry. */
export async function listUnresolved(
  flow: string,
  store: IncompleteStore,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry === undefined);
}

/**
 * Resolves an incomplete execution manually: runs its remaining steps now, optionally with corrected data. If it fails
 * again, it stays without an automatic retry.
 *
 * @param outputs replace stored outputs, by step id
 * @returns the report, like `runFlow`
 * @throws EngineError (USAGE) for an unknown id
 */
export function resolveExecution(
  flow: CompiledFlow,
  id: string,
  options: ResumeOptions,
  outputs: Readonly<Record<string, unknown>> = {},
): Reporting<FlowReport> {
  return reporting(
    find(id, options.store).then((execution) =>
      resumeFlow(
        flow,
        { ...execution, outputs: { ...execution.outputs, ...outputs }, retry: undefined },
        options,
      ),
    ),
  );
}

/**
 * Removes an incomplete execution.
 *
 * @throws EngineError (USAGE) for an unknown id
 */
export async function discardExecution(id: string, store: IncompleteStore): Promise<IncompleteExecution> {
  const execution = await find(id, store);
  await store.remove(id);
  return execution;
}

async function find(id: string, store: IncompleteStore): Promise<IncompleteExecution> {
  const execution = await store.get(id);
  if (execution !== undefined) return execution;
  throw new EngineError('USAGE', `There is no incomplete execution "${id}".`);
}
