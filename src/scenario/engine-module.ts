import type { ModuleRun } from '../engine/component/module-run.js';
import { StateSampler, type TriggerState } from '../engine/component/trigger-data.js';
import type { Engine } from '../engine/create-engine.js';
import type { App } from '../engine/document/app.js';
import { findModule } from '../engine/find-component.js';
import { moduleForm } from '../engine/parameters/form.js';
import { EngineError } from '../shared/errors/engine-error.js';
import type { FlowModule, ModuleOutcome } from './flow.js';

/** An engine whose modules are steps of a flow. An app of a pool has no documents at hand. */
export type FlowEngine = Pick<Engine, 'module'> & { readonly app?: App | undefined };

/**
 * Uses a module of an engine as a step of a flow, with the form that checks its inputs.
 *
 * @param engine an engine, or an app of a pool
 * @param app the app, as `loadApp` or `defineApp` gives it. Required for an app of a pool
 * @throws SpecError (SPEC_MISSING) for an unknown module, SPEC_INVALID for a form nested too deep; EngineError (USAGE) without the app
 */
export function engineModule(
  engine: FlowEngine,
  name: string,
  app: App | undefined = engine.app,
): FlowModule {
  if (app === undefined) {
    const message = `engineModule needs the app of the module "${name}" as its third argument: an app of a pool has no documents at hand.`;
    throw new EngineError('USAGE', message);
  }
  const module = findModule(app, name);
  const hasForm = module.staticParams !== undefined || module.mappableParams !== undefined;
  const { type } = module;
  const { run } = engine.module(name);
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

/** Consumes bundle by bundle, as the run reports its state in between. */
async function pollWithStates(run: ModuleRun): Promise<ModuleOutcome> {
  const bundles: unknown[] = [];
  const states: (TriggerState | undefined)[] = [];
  const sampler = new StateSampler();
  try {
    for await (const bundle of run) {
      states.push(sampler.sample(run.report().state));
      bundles.push(bundle);
    }
  } catch (error) {
    if (run.report().ok) throw error;
  }
  const report = run.report();
  return report.ok
    ? { bundles, states, state: report.state, warnings: report.warnings }
    : { error: report.error };
}
