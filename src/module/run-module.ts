import { EngineError } from '../errors/engine-error.js';
import { oneAhead } from '../run/paging/prefetch.js';
import { runCommunication } from '../run/run-communication.js';
import type { ModuleComponent } from '../document/app.js';
import { assertNever } from '../util/assert-never.js';
import { beginRun, type ConnectedInput } from '../component/begin-run.js';
import { bundlesOf } from '../component/bundles.js';
import { communicationOf } from '../component/communication-of.js';
import { ModuleRun } from '../component/module-run.js';
import { runInstantTrigger } from './run-instant-trigger.js';
import { moduleSubject } from '../component/run-subject.js';
import { runTrigger } from '../trigger/run-trigger.js';
import type { Runtime } from '../component/runtime.js';
import type { RunTraits } from '../component/start-run.js';

/**
 * Runs a module as its type asks.
 *
 * @throws SpecError (SPEC_INVALID) where the module has no communication; EngineError (USAGE) for a responder, which
 *   gives an answer instead of bundles
 * @see reference/connections-modules-rpcs.md (Modules)
 */
export function runModule(module: ModuleComponent, input: ConnectedInput, runtime: Runtime): ModuleRun {
  switch (module.type) {
    case 'action':
    case 'search':
      return runRequests(module, input, runtime, {});
    case 'universal':
      return runRequests(module, input, runtime, { keepsHost: true });
    case 'trigger':
      return runTrigger(module, input, runtime);
    case 'instant_trigger':
      return runInstantTrigger(module, input, runtime);
    case 'responder':
      throw new EngineError(
        'USAGE',
        `The module "${module.name}" is a responder: it is not run, respond() gives its answer.`,
      );
    default:
      return assertNever(module.type);
  }
}

function runRequests(
  module: ModuleComponent,
  input: ConnectedInput,
  runtime: Runtime,
  traits: RunTraits,
): ModuleRun<never> {
  const communication = communicationOf(module);
  return new ModuleRun<never>({
    start: () => beginRun(runtime, input, moduleSubject(module), traits),
    batches: async function* (context, isStreamed) {
      const pages = runCommunication(await runtime.compile(communication), context);
      for await (const page of isStreamed ? oneAhead(pages) : pages) yield bundlesOf(page);
    },
  });
}
