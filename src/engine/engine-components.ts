import { ANY_BOOLEAN, ANY_TEXT, checkMembers, checkValue } from '../shared/errors/check-options.js';
import { EngineError, isEngineError } from '../shared/errors/engine-error.js';
import type { AnyApp, AnyEndpoint, AnyForm, AnyModule, NameIn } from './app-types.js';
import type { CallReport } from './component/call-report.js';
import type { RunInput } from './component/check-and-connect.js';
import { checkInput, INPUT_SHAPES } from './component/input-shapes.js';
import { createEngineRun, type ModuleRun } from './component/module-run.js';
import { type AnyReport, type Reporting, type RunReport, reporting } from './component/report.js';
import type { Runtime } from './component/runtime.js';
import type { ModuleComponent, ModuleType } from './document/app.js';
import { findEndpoint, findRpc } from './find-component.js';
import { listParameters, type ModuleParameters, type ParametersInput } from './module/list-parameters.js';
import { runEndpoint } from './module/run-endpoint.js';
import { type EpochList, listEpoch } from './module/run-epoch.js';
import { runModule } from './module/run-module.js';
import { callRpc, runResponder } from './module/run-rpc.js';
import { parseRpcReference, type RpcReference } from './parameters/rpc-reference.js';
import type { BuiltResponse } from './run/build-answer.js';

// Members that take typed input are methods, so that a typed engine is assignable to `Engine`.

/** A module of an app. It can run any number of times, also concurrently. */
export interface Module<Types extends AnyModule = AnyModule> {
  readonly name: string;
  /**
   * Starts when the result is awaited or iterated over. Parameters that the form of the module does not allow end the
   * run with a BundleValidationError before anything is sent. Throws EngineError (USAGE) for a responder.
   */
  run(input?: RunInput<Types['parameters']>): ModuleRun<Types['bundle']>;
  /** The fields of its form; with `resolve: true` also those from RPCs. */
  readonly parameters: (input?: ParametersInput) => Promise<ModuleParameters>;
}

/** A polling trigger of an app. */
export interface PollingTrigger<Types extends AnyModule = AnyModule> extends Module<Types> {
  /** Lists the start options of the trigger. */
  epoch(input?: RunInput<Types['parameters']>): Reporting<RunReport<EpochList>>;
}

/** A responder of an app. It builds a response instead of bundles. */
export interface Responder<Types extends AnyModule = AnyModule> extends Omit<Module<Types>, 'run'> {
  /** Builds the response to the sender of a webhook call. */
  respond(input?: RunInput<Types['parameters']>): Reporting<RunReport<{ readonly result: BuiltResponse }>>;
}

/** Finds a module by name. With a type, the result has the members of that type. */
export interface FindModule<Modules extends AnyApp['modules'] = AnyApp['modules']> {
  /** @throws SpecError (SPEC_MISSING) for a name the app does not have; EngineError (USAGE) for another type */
  <Name extends NameIn<Modules>>(name: Name, type: 'trigger'): PollingTrigger<Modules[Name]>;
  <Name extends NameIn<Modules>>(name: Name, type: 'responder'): Responder<Modules[Name]>;
  <Name extends NameIn<Modules>>(name: Name, type?: ModuleType): Module<Modules[Name]>;
}

/** An RPC of an app, with the arguments of its reference. */
export interface Rpc<Types extends AnyForm = AnyForm> {
  readonly name: string;
  call(input?: RunInput<Types['parameters']>): Reporting<RunReport<{ readonly result: unknown }>>;
}

/** An endpoint of an app: parameters, one request, one result. */
export interface Endpoint<Types extends AnyEndpoint = AnyEndpoint> {
  readonly name: string;
  /**
   * Sends the request of the endpoint. The result is what its `output` gives: a list with one item becomes that item, an
   * empty list `{}`. Parameters that the form does not allow end the run with a BundleValidationError before anything is
   * sent. AI callers fill in no form: set `checkParameters: false` for them.
   */
  run(input?: RunInput<Types['parameters']>): Reporting<RunReport<{ readonly result: Types['result'] }>>;
}

const LISTING_SHAPES = { ...INPUT_SHAPES, resolve: ANY_BOOLEAN };

/** Methods of a module. */
export function createEngineModule(
  module: ModuleComponent,
  runtime: Runtime,
  type: ModuleType = module.type,
): PollingTrigger & Responder {
  if (type !== module.type) {
    throw new EngineError('USAGE', `The module "${module.name}" is of the type ${module.type}, not ${type}.`);
  }
  return {
    name: module.name,
    run: (input = {}) => {
      try {
        checkInput(input);
      } catch (error) {
        // Misuse throws at once; an unreadable value is reported by the run.
        if (isEngineError(error) && error.code === 'USAGE') throw error;
        return failedRun(error);
      }
      return runModule(module, input, runtime);
    },
    epoch: (input = {}) =>
      reportLater(async () => {
        checkInput(input);
        return listEpoch(module, input, runtime);
      }),
    respond: (input = {}) =>
      reportLater(async () => {
        checkInput(input);
        return runResponder(module, input, runtime);
      }),
    parameters: async (input = {}) => {
      checkMembers(input, LISTING_SHAPES, 'The input of parameters');
      return listParameters(module, input, runtime);
    },
  };
}

/**
 * @param address a name, or a reference with arguments
 * @throws SpecError (SPEC_MISSING) for a name the app does not have
 */
export function createEngineRpc(address: string, runtime: Runtime): Rpc {
  checkValue(address, ANY_TEXT, 'The address of an RPC');
  const reference = parseRpcReference(address) ?? { name: address, query: [] };
  const { name } = findRpc(runtime.app, reference.name);
  return {
    name,
    call: (input = {}) =>
      reportLater(async () => {
        checkInput(input);
        return callNamedRpc(reference, input, runtime);
      }),
  };
}

/** @throws SpecError (SPEC_MISSING) for a name the app does not have */
export function createEngineEndpoint(name: string, runtime: Runtime): Endpoint {
  const endpoint = findEndpoint(runtime.app, name);
  return {
    name,
    run: (input = {}) =>
      reportLater(async () => {
        checkInput(input);
        return runEndpoint(endpoint, input, runtime);
      }),
  };
}

/**
 * Calls the RPC of a reference.
 *
 * @throws SpecError (SPEC_MISSING) for an unknown name
 */
export async function callNamedRpc(
  { name, query }: Pick<RpcReference, 'name' | 'query'>,
  input: RunInput,
  runtime: Runtime,
): Promise<CallReport> {
  const rpc = findRpc(runtime.app, name);
  return callRpc(rpc, query, input, runtime);
}

/** A run that fails with the error of its input. */
function failedRun(error: unknown): ModuleRun {
  return createEngineRun({ start: () => Promise.reject(error), pages: async () => [] });
}

function reportLater<R extends AnyReport>(work: () => Promise<R>): Reporting<R> {
  return reporting(work());
}
