import { type AppError, createEngine, defineApp, type RunFailure } from '../../src/index.js';
import {
  type CompiledFlow,
  compileFlow,
  createMemoryIncompleteStore,
  engineModule,
  type FlowReport,
  resolveExecution,
  type resumeFlow,
  runFlow,
} from '../../src/scenario/index.js';
import type { Expect, Same } from './expect-type.js';

const engine = createEngine({ app: defineApp({ name: 'a', modules: { m: { communication: {} } } }) });
const flow: CompiledFlow = compileFlow({ name: 'f', steps: [{ id: 1, module: engineModule(engine, 'm') }] });

export type Flows = [
  Expect<Same<Awaited<ReturnType<typeof runFlow>>, FlowReport>>,
  Expect<Same<Awaited<ReturnType<typeof resumeFlow>>, FlowReport>>,
  Expect<Same<Awaited<ReturnType<typeof resolveExecution>>, FlowReport>>,
  Expect<Same<FlowReport['error'], AppError | undefined>>,
  Expect<Same<FlowReport['bundles'], readonly unknown[] | undefined>>,
  Expect<Same<Extract<FlowReport, { ok: true }>['bundles'], readonly unknown[]>>,
  Expect<Same<Extract<FlowReport, RunFailure>['ok'], false>>,
];

/** Examples of calls. They never run. */
export async function calls(): Promise<void> {
  const report = await runFlow(flow, { events: [{}] });
  // @ts-expect-error nothing is given before it is known that the run went well
  report.bundles.length;
  if (report.ok) report.bundles.at(-1);
  else [report.error.type, report.completed.length];
  void report.state;
  const { bundles } = await runFlow(flow).orThrow();
  const all: Expect<Same<typeof bundles, readonly unknown[]>> = true;
  void all;
  const store = createMemoryIncompleteStore();
  await resolveExecution(flow, 'x', { store }).orThrow();
}
