import type { CompiledFlow } from '../../scenario/flow/compile-flow.js';
import type { FlowPhase, FlowReport } from '../../scenario/flow/flow-report.js';
import type { FlowOutput } from '../ports/ports.js';

/** What came out of a run, and where its bundles ended if nothing did; undefined for one that an error ended. */
export function describeOutput(flow: CompiledFlow, report: FlowReport): FlowOutput | undefined {
  if (!report.ok) return undefined;
  const bundles = report.bundles.length;
  if (bundles > 0) return { bundles };
  for (const phase of report.phases.toReversed()) {
    const why = whyEnded(phase);
    if (why === undefined || !('stepId' in phase)) continue;
    const { id, module } = flow.steps.find(({ step }) => step.id === phase.stepId)?.step ?? {};
    // A responder puts nothing out, and ends nothing.
    if (id === undefined || module === undefined || module.type === 'responder') continue;
    return { bundles, endedAt: { stepId: id, module: module.name, why } };
  }
  return { bundles };
}

function whyEnded(phase: FlowPhase): 'filter' | 'nothing' | 'ignored' | undefined {
  if (phase.kind === 'filtered') return 'filter';
  if (phase.kind !== 'operation' || phase.bundles > 0) return undefined;
  if (phase.error === undefined) return 'nothing';
  return phase.handledBy === 'ignore' ? 'ignored' : undefined;
}
