import { EngineError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { type CallReport, reportCall } from '../component/call-report.js';
import type { RunInput } from '../component/check-and-connect.js';
import { moduleSubject, requireCommunication, rpcSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { ModuleComponent, RpcComponent } from '../document/app.js';
import { compileDirective } from '../document/compile-directive.js';
import { compileRespond } from '../document/compile-request.js';
import { subDocument } from '../document/document.js';
import type { RpcReference } from '../parameters/rpc-reference.js';
import { type BuiltResponse, buildAnswer } from '../run/build-answer.js';
import { collectResult } from '../run/collect-outputs.js';
import { evaluateDirective, runError } from '../run/evaluate-directive.js';
import { collectPages } from '../run/page-source.js';
import { runCommunication } from '../run/run-communication.js';
import { type RunContext, withVariables } from '../run/run-context.js';

/**
 * Calls an RPC, which returns options, fields, samples or any other value. With `iterate`, the result is a list;
 * otherwise a single value.
 *
 * @param query arguments of `rpc://name?x={{...}}`: evaluated with the parameters of the form, and added to them for
 *   the RPC
 * @see https://developers.make.com/custom-apps-documentation/app-components/rpcs
 */
export async function callRpc(
  rpc: RpcComponent,
  query: RpcReference['query'],
  input: RunInput,
  runtime: Runtime,
): Promise<CallReport> {
  const work = async (context: RunContext): Promise<{ readonly result: unknown }> => {
    const asked = await addArguments(query, context, runtime);
    const requests = await runtime.compile(requireCommunication(rpc));
    const { pages } = await collectPages(runCommunication(requests, asked));
    return { result: checkedResult(collectResult(pages), asked) };
  };
  return reportCall(runtime, input, { subject: () => rpcSubject(rpc), work });
}

/**
 * The result of an RPC: an object, a text, or a list of these; an empty list if no request has a result.
 * Source: docs/differences.md. [rt]
 *
 * @throws AppError of type DataError for other results
 */
function checkedResult(result: unknown, context: RunContext): unknown {
  if (result === undefined || result === null) return [];
  const items: readonly unknown[] = Array.isArray(result) ? result : [result];
  const wrong = items.find((item) => typeof item === 'number' || typeof item === 'boolean');
  if (wrong === undefined) return result;
  const received = typeof wrong === 'number' ? 'Number' : 'Boolean';
  const where = Array.isArray(result) ? 'item in RPC output' : 'RPC output';
  throw runError('DataError', `Invalid ${where}. Expected Object or String, but found ${received}.`, context);
}

/** An argument without a value takes nothing away from the parameters. [choice] */
async function addArguments(
  query: RpcReference['query'],
  context: RunContext,
  runtime: Runtime,
): Promise<RunContext> {
  if (query.length === 0) return context;
  const directives = await runtime.directives(query);
  const given = context.scope['parameters'];
  const parameters: PlainObject = isPlainObject(given) ? { ...given } : {};
  for (const [name, template] of query) {
    const directive = compileDirective(template, '', directives);
    const value = evaluateDirective(directive, context);
    if (value !== undefined) setMember(parameters, name, value);
  }
  return withVariables(context, { parameters });
}

/**
 * Builds the response of a responder to the webhook sender. Sends nothing and does not use the base.
 *
 * @throws EngineError (USAGE) if the module is not a responder
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/responder
 */
export async function runResponder(
  module: ModuleComponent,
  input: RunInput,
  runtime: Runtime,
): Promise<CallReport<BuiltResponse>> {
  if (module.type !== 'responder') {
    throw new EngineError(
      'USAGE',
      `The module "${module.name}" has type ${module.type}; only responders respond to a sender.`,
    );
  }
  return reportCall(runtime, input, {
    subject: () => moduleSubject(module),
    work: async (context) => {
      const communication = requireCommunication(module);
      const document = Array.isArray(communication.value) ? subDocument(communication, 0) : communication;
      const { value } = document;
      const response = isPlainObject(value) ? ownMember(value, 'response') : undefined;
      const directives = await runtime.directives(communication.value);
      const respond = compileRespond(response, document, '/response', directives);
      return { result: buildAnswer(respond, context, 'text') };
    },
  });
}
