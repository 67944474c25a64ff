import type { Engine } from '../../app/engine/create-engine.js';
import { findModule } from '../../app/engine/find-component.js';
import type { ModuleRun } from '../../component/module-run.js';
import type { TriggerState } from '../../component/trigger-data.js';
import { moduleForm } from '../../parameters/form/form.js';
import type { FlowModule, ModuleOutcome } from './flow.js';

/**
 * A module of an engine as a step of a flow, with the form its inputs are checked by.
 *
 * @throws SpecError (SPEC_MISSING) for a name the app does not have, SPEC_INVALID for a form nested too deep
 */
export function engineModule(engine: Engine, name: string): FlowModule {
  const module = findModule(engine.app, name);
  const hasForm = module.staticParams !== undefined || module.mappableParams !== undefined;
  const { type, run, respond } = engine.module(name);
  return {
    name,
    type,
    // The flow has checked the values, and knows which of them are mapped.
    run: (input) => {
      const started = run({ ...input, checkParameters: false });
      return type === 'trigger' ? pollWithStates(started) : started;
    },
    respond: (input) => respond({ ...input, checkParameters: false }),
    parameters: hasForm ? moduleForm(module) : undefined,
  };
}

/** Beyond so many items of one date only each so many-th state is kept: each of them names all items of its date. */
const MAX_SAME_DATE = 100;

/** Takes bundle by bundle, as only in between the run says where it stands. */
async function pollWithStates(run: ModuleRun): Promise<ModuleOutcome> {
  const bundles: unknown[] = [];
  const states: (TriggerState | undefined)[] = [];
  try {
    for await (const bundle of run) {
      const { state } = run.report();
      const isLong =
        state !== undefined && 'sameDateIds' in state && state.sameDateIds.length > MAX_SAME_DATE;
      states.push(isLong && bundles.length % MAX_SAME_DATE !== 0 ? undefined : state);
      bundles.push(bundle);
    }
  } catch (error) {
    if (run.report().ok) throw error;
  }
  const report = run.report();
  return report.ok ? { bundles, states, state: report.state } : { error: report.error };
}
