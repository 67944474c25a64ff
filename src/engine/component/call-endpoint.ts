import { isPlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { App, EndpointComponent } from '../document/app.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { collectResult } from '../run/collect-outputs.js';
import { endpointError } from '../run/endpoint-call.js';
import { evaluateFlag, learnGiven } from '../run/evaluate-directive.js';
import { collectPages } from '../run/page-source.js';
import { runCommunication } from '../run/run-communication.js';
import {
  type EndpointAnswer,
  type EndpointCall,
  endpointContext,
  type RunContext,
  type RunNames,
  type RunScope,
  warnOnce,
} from '../run/run-context.js';
import type { Runtime } from './runtime.js';

/**
 * Runs an endpoint of the same app for a request with `endpoint`. The endpoint reads `input` as `parameters`, the
 * connection and common data, and nothing else of its caller. Its requests, pages and time count towards the caller's
 * limits. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [src]
 *
 * @throws AppError of type RuntimeError for an unknown endpoint, and for a call from another endpoint [src]
 */
export async function callEndpoint(
  call: EndpointCall,
  context: RunContext,
  runtime: Runtime,
): Promise<EndpointAnswer> {
  const endpoint = requireEndpoint(call.name, context, runtime.app);
  const requests = await runtime.compile(endpoint.communication);
  const names = { ...endpointVariables(call), ...makeConnectionScope(call, endpoint, context) };
  return sendEndpoint(requests, endpointContext(context, call.name, names, call.isFollowing));
}

/** Sends the request of an endpoint and unwraps its result. */
export async function sendEndpoint(
  requests: readonly CompiledRequest[],
  context: RunContext,
): Promise<EndpointAnswer> {
  const { pages, end } = await collectPages(runCommunication(requests, context));
  const { statusCode, headers } = end.context.scope;
  return { body: unwrap(collectResult(pages), requests.at(-1), end.context), statusCode, headers };
}

/**
 * A list with one item becomes that item, an empty list `{}`, unless the endpoint iterates or sets `unwrap: false`.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
 */
function unwrap(body: unknown, request: CompiledRequest | undefined, context: RunContext): unknown {
  if (!Array.isArray(body) || body.length > 1 || request === undefined) return body;
  const { iterate, unwrap: directive } = request.response;
  if (iterate !== undefined || !evaluateFlag(directive, true, context)) return body;
  return body.length === 0 ? {} : body[0];
}

/**
 * Returns the endpoint of a request.
 *
 * @throws AppError of type RuntimeError for an unknown endpoint, one without a communication, and a call from another
 *   endpoint
 */
export function requireEndpoint(
  name: string,
  context: RunContext,
  app: App,
): EndpointComponent & { readonly communication: Document } {
  if (context.position.endpoint !== undefined) {
    throw endpointError(`The endpoint "${context.position.endpoint}" cannot call another endpoint.`, context);
  }
  const endpoint = app.endpoints.get(name);
  const communication = endpoint?.communication;
  if (endpoint !== undefined && communication !== undefined) return { ...endpoint, communication };
  if (endpoint !== undefined) {
    throw endpointError(`The endpoint "${name}" has no communication.`, context);
  }
  // Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
  throw endpointError(`Endpoint '${name}' not found.${didYouMean(name, app.endpoints.keys())}`, context);
}

/** Variables of the endpoint itself. */
function endpointVariables({ input }: EndpointCall): RunNames {
  return { ...initialVariables(), parameters: input, data: undefined, payload: undefined };
}

/**
 * `endpoint.connection` may provide connection data. As text it names a connection, but a run has only its own, which
 * is used, with a warning if the name differs from the endpoint's connection. [choice]
 */
function makeConnectionScope(call: EndpointCall, endpoint: EndpointComponent, context: RunContext): RunNames {
  const { connection } = call;
  if (isPlainObject(connection)) {
    learnGiven(connection, context);
    return { connection };
  }
  if (typeof connection === 'string' && connection !== '' && !endpoint.connections.includes(connection)) {
    const place = context.position.document?.locationOf('/endpoint/connection');
    const message = `The endpoint "${call.name}" runs with the connection of its caller, as "${connection}" is not available.`;
    warnOnce({ code: 'endpoint-connection', message, place }, context);
  }
  return {};
}

/** Initial values of variables that a communication sets. */
export function initialVariables(): RunNames & RunScope {
  return {
    temp: {},
    body: undefined,
    headers: undefined,
    statusCode: undefined,
    item: undefined,
    output: undefined,
    iterate: undefined,
    pagination: undefined,
  };
}
