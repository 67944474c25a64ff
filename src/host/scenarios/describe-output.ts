import type { CompiledFlow } from '../../scenario/compile-flow.js';
import type { FlowPhase, FlowReport } from '../../scenario/flow-report.js';
import type { FlowOutput, FlowStepName } from '../ports.js';

/** The output of a run, or where its bundles ended. Undefined if an error ended the run. */
export function describeOutput(flow: CompiledFlow, report: FlowReport): FlowOutput | undefined {
  if (!report.ok) return undefined;
  const bundles = report.bundles.length;
  if (bundles > 0) return { bundles };
  const steps = new Map(flow.steps.map(({ step }) => [step.id, step.module]));
  for (let index = report.phases.length - 1; index >= 0; index--) {
    const phase = report.phases[index] as FlowPhase;
    const why = whyEnded(phase);
    if (why === undefined || !('stepId' in phase)) continue;
    const module = steps.get(phase.stepId);
    // A responder has no output and does not end a bundle.
    if (module === undefined || module.type === 'responder') continue;
    return { bundles, endedAt: { stepId: phase.stepId, module: module.name, why } };
  }
  return { bundles };
}

/** The step whose module failed last; undefined if no error ended the run. */
export function describeFailure(flow: CompiledFlow, report: FlowReport): FlowStepName | undefined {
  if (report.ok) return undefined;
  const failed = report.phases.findLast((phase) => phase.kind === 'operation' && phase.error !== undefined);
  if (failed?.kind !== 'operation') return undefined;
  const found = flow.steps.find(({ step }) => step.id === failed.stepId);
  return found && { stepId: failed.stepId, module: found.step.module.name };
}

function whyEnded(phase: FlowPhase): 'filter' | 'nothing' | 'ignored' | undefined {
  if (phase.kind === 'filtered') return 'filter';
  if (phase.kind !== 'operation' || phase.bundles > 0) return undefined;
  if (phase.error === undefined) return 'nothing';
  return phase.handledBy === 'ignore' ? 'ignored' : undefined;
}
