import type { ModuleRun } from '../engine/component/module-run.js';
import type { TriggerState } from '../engine/component/trigger-data.js';
import type { Engine } from '../engine/create-engine.js';
import { findModule } from '../engine/find-component.js';
import { moduleForm } from '../engine/parameters/form.js';
import type { FlowModule, ModuleOutcome } from './flow.js';

/**
 * Uses a module of an engine as a step of a flow, with the form that checks its inputs.
 *
 * @throws SpecError (SPEC_MISSING) for an unknown module, SPEC_INVALID for a form nested too deep
 */
export function engineModule(engine: Engine, name: string): FlowModule {
  const module = findModule(engine.app, name);
  const hasForm = module.staticParams !== undefined || module.mappableParams !== undefined;
  const { type, run } = engine.module(name);
  return {
    name,
    type,
    // The flow has checked the values and knows which are mapped.
    run: ({ state, ...input }) => {
      // The run checks the state, which is stored data.
      const started = run({ ...input, state: state as TriggerState | undefined, checkParameters: false });
      return type === 'trigger' ? pollWithStates(started) : started;
    },
    ...(type === 'responder' && {
      respond: ({ state: _, ...input }) =>
        engine.module(name, type).respond({ ...input, checkParameters: false }),
    }),
    parameters: hasForm ? moduleForm(module) : undefined,
  };
}

/** With more items of one date, only every 100th state is kept, as each state lists all of them. */
const MAX_SAME_DATE = 100;

/**
 * Consumes bundle by bundle, as the run reports its state in between. Further bundles of one item have no state: a run
 * from that state would repeat them.
 */
async function pollWithStates(run: ModuleRun): Promise<ModuleOutcome> {
  const bundles: unknown[] = [];
  const states: (TriggerState | undefined)[] = [];
  let before: TriggerState | undefined;
  let nextLong = 0;
  try {
    for await (const bundle of run) {
      const { state } = run.report();
      const hasMoved = state !== undefined && !isSameState(state, before);
      const isKept = hasMoved && (!isLong(state) || bundles.length >= nextLong);
      if (isKept) nextLong = bundles.length + MAX_SAME_DATE;
      states.push(isKept ? state : undefined);
      bundles.push(bundle);
      before = state;
    }
  } catch (error) {
    if (run.report().ok) throw error;
  }
  const report = run.report();
  return report.ok ? { bundles, states, state: report.state } : { error: report.error };
}

function isLong(state: TriggerState): boolean {
  return 'sameDateIds' in state && state.sameDateIds.length > MAX_SAME_DATE;
}

/** Compares two states of one run, which only adds ids to those of a date. */
function isSameState(a: TriggerState, b: TriggerState | undefined): boolean {
  if (b === undefined || a.matchEqual !== b.matchEqual) return false;
  if ('lastId' in a) return 'lastId' in b && a.lastId === b.lastId;
  return 'lastDate' in b && a.lastDate === b.lastDate && a.sameDateIds.length === b.sameDateIds.length;
}
