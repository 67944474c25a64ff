import { EngineError } from '../../shared/errors/engine-error.js';
import { assertNever } from '../../shared/plain-object.js';
import { beginRun, type ConnectedInput } from '../component/check-and-connect.js';
import { ModuleRun } from '../component/module-run.js';
import { moduleSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { RunTraits } from '../component/start-run.js';
import type { ModuleComponent } from '../document/app.js';
import { prefetch } from '../run/page-source.js';
import { type CommunicationPlan, runCommunication } from '../run/run-communication.js';
import { runInstantTrigger } from './run-instant-trigger.js';
import { runTrigger } from './run-trigger.js';

/**
 * Runs a module as its type asks.
 *
 * @throws EngineError (USAGE) for a responder, which gives an answer instead of bundles
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules
 */
export function runModule(module: ModuleComponent, input: ConnectedInput, runtime: Runtime): ModuleRun {
  switch (module.type) {
    case 'action':
      return runRequests(module, input, runtime, { plan: { accepts: 'object' } });
    case 'search':
      return runRequests(module, input, runtime, { plan: { accepts: 'objects' } });
    case 'universal':
      return runRequests(module, input, runtime, { traits: { keepsHost: true } });
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
  { traits = {}, plan }: { readonly traits?: RunTraits; readonly plan?: CommunicationPlan },
): ModuleRun {
  return new ModuleRun({
    start: async () => beginRun(runtime, input, moduleSubject(module), traits),
    pages: async (context, isStreamed) => {
      const requests = await runtime.compile(requireCommunication(module));
      const pages = runCommunication(requests, context, plan);
      return isStreamed ? prefetch(pages) : pages;
    },
  });
}
