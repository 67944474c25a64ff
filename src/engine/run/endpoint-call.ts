import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledPagination, CompiledRequest } from '../document/compiled-request.js';
import { evaluateDirective, evaluateFlag, evaluateFlatObject, runError } from './evaluate-directive.js';
import type { EndpointCall, RunContext } from './run-context.js';

/**
 * The call of a sibling endpoint by a request or a follow-up page.
 *
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [src]
 *
 * @throws AppError of type RuntimeError if the endpoint has no name
 */
export function evaluateEndpointCall(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): WrittenCall {
  return page === undefined ? callOfRequest(request, context) : callOfPage(request, page, context);
}

/**
 * Triggers and webhooks call no endpoints.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 *
 * @param caller the subject of the message, such as `A polling trigger`
 * @throws AppError of type InvalidConfigurationError for a request that calls one
 */
export function assertNoEndpoint(
  requests: readonly CompiledRequest[],
  caller: string,
  context: RunContext,
): void {
  const calling = requests.find(({ endpoint }) => endpoint !== undefined);
  if (calling === undefined) return;
  const place = calling.document.locationOf('/endpoint');
  throw runError('InvalidConfigurationError', `${caller} cannot call an endpoint.`, context, { place });
}

type WrittenCall = Omit<EndpointCall, 'isFollowing'>;

function callOfRequest(request: CompiledRequest, context: RunContext): WrittenCall {
  const { endpoint } = request;
  return {
    // A template in the name is not evaluated.
    // Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
    name: endpointName(endpoint?.name.raw, context),
    connection: evaluateConnection(endpoint?.connection, context),
    input: evaluateFlatObject(endpoint?.input, context) ?? {},
  };
}

/** `pagination.endpoint` takes the place of the request's, `pagination.input` is merged by name. [inf] */
function callOfPage(request: CompiledRequest, page: CompiledPagination, context: RunContext): WrittenCall {
  const written = page.endpoint?.raw;
  const input = evaluateFlatObject(page.input, context) ?? {};
  const merges = evaluateFlag(page.mergeWithParent, true, context);
  const parent = callOfRequest(request, context);
  const { name, connection } = written === undefined ? parent : readEndpoint(written, context);
  return {
    name,
    connection: merges ? (connection ?? parent.connection) : connection,
    input: merges ? { ...parent.input, ...input } : input,
  };
}

/**
 * The platform takes an object only since 2026-07-29; its schema allows text.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, endpoints-reference. [inf]
 */
function evaluateConnection(connection: Directive | undefined, context: RunContext): unknown {
  if (
    connection !== undefined &&
    typeof connection.raw !== 'object' &&
    context.run.settings.semantics !== 'documented'
  ) {
    const place = context.position.document?.locationOf(connection.pointer);
    const message = 'The connection of an endpoint is an object, not text.';
    throw runError('InvalidConfigurationError', message, context, { place });
  }
  return evaluateDirective(connection, context);
}

function readEndpoint(written: unknown, context: RunContext): Omit<WrittenCall, 'input'> {
  const endpoint: PlainObject = isPlainObject(written) ? written : { name: written };
  return {
    name: endpointName(ownMember(endpoint, 'name'), context),
    connection: ownMember(endpoint, 'connection'),
  };
}

function endpointName(name: unknown, context: RunContext): string {
  if (typeof name === 'string' && name !== '') return name;
  throw endpointError('The name of the endpoint is not text.', context);
}

/** The error of an endpoint call, at the location of the endpoint. */
export function endpointError(message: string, context: RunContext): Error {
  return runError('RuntimeError', message, context, {
    place: context.position.document?.locationOf('/endpoint'),
  });
}
