import { type Reporting, reporting } from '../../component/report.js';
import { EngineError } from '../../errors/engine-error.js';
import type { CompiledFlow } from './compile-flow.js';
import type { FlowReport, IncompleteExecution, IncompleteStore } from './flow-report.js';
import { type ResumeOptions, resumeFlow } from './run-flow.js';

/** Those of a flow whose retry is due, the oldest first. */
export async function listDue(
  flow: string,
  store: IncompleteStore,
  nowMs: number,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry !== undefined && retry.atMs <= nowMs);
}

/** Those of a flow that nothing will try again by itself. */
export async function listUnresolved(
  flow: string,
  store: IncompleteStore,
): Promise<readonly IncompleteExecution[]> {
  return (await store.list(flow)).filter(({ retry }) => retry === undefined);
}

/**
 * Resolves an incomplete execution by hand: runs what is left of it now, with mended data if they are given.
 * When it fails again it stays, and nothing tries it by itself.
 *
 * @param outputs take the place of the stored ones, by module id
 * @returns the report, as `runFlow` does
 * @throws EngineError (USAGE) where there is none with this id
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

/** Gives up an incomplete execution. @throws EngineError (USAGE) where there is none with this id */
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
