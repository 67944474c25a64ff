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

/**
 * Takes bundle by bundle, as only in between the run says where it stands. Bundles of one item have none but the first: a run that
 * goes on from the state they share gives all of them again.
 */
async function pollWithStates(run: ModuleRun): Promise<ModuleOutcome> {
  const bundles: unknown[] = [];
  const states: (TriggerState | undefined)[] = [];
  let before: TriggerState | undefined;
  let nextLong = 0;
  try {
    for await (const bundle of run) {
      const { state } = run.report();
      const hasMoved = state !== undefined && !isSamePlace(state, before);
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

/** Of two states of one run, which only ever adds ids to those of a date. */
function isSamePlace(a: TriggerState, b: TriggerState | undefined): boolean {
  if (b === undefined || a.matchEqual !== b.matchEqual) return false;
  if ('lastId' in a) return 'lastId' in b && a.lastId === b.lastId;
  return 'lastDate' in b && a.lastDate === b.lastDate && a.sameDateIds.length === b.sameDateIds.length;
}
