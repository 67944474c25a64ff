import type { CompiledPagination, CompiledRequest } from '../document/compile/compiled-request.js';
import { jsonText } from '../http/body/json-text.js';
import { isPlainObject, ownMember, type PlainObject } from '../util/plain-object.js';
import { resolveRequest } from './request/resolve-request.js';
import { type EarlyAnswers, sendRequest } from './request/send-request.js';
import { judge, receiveResponse } from './response/receive-response.js';
import {
  atDirective,
  atOnce,
  evaluateDirective,
  evaluateFlag,
  evaluateFlatObject,
  runError,
} from './scope/evaluate-directive.js';
import type { EndpointCall, RunContext } from './scope/run-context.js';

/** One exchange of a request, evaluated and ready to be made. */
export interface PreparedExchange {
  /** What is asked: two exchanges with the same key ask the same. */
  readonly key: string;
  readonly make: (context: RunContext, early?: EarlyAnswers) => Promise<MadeExchange>;
}

/** An exchange that was made, and went well. */
export interface MadeExchange {
  /** The place with the names that the answer gives. */
  readonly context: RunContext;
  /** The bytes of the answer, where it came over the network. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Evaluates what a request, or a follow-up page of it, asks for: an HTTP request or a call of a sibling endpoint.
 *
 * @param context what it is evaluated with; where the answer is seen is said when the exchange is made
 * @returns undefined for a follow-up page that leads nowhere
 */
export function prepareExchange(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): PreparedExchange | undefined {
  return request.endpoint === undefined
    ? prepareHttp(request, page, context)
    : prepareEndpoint(request, page, context);
}

function prepareHttp(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): PreparedExchange | undefined {
  const resolved = atOnce(context, () => resolveRequest(request, page, context));
  if (resolved === undefined) return undefined;
  const body = resolved.body === undefined ? '' : Buffer.from(resolved.body).toString('latin1');
  // Only where pages may be told apart by them: a signature is another one each time.
  const headers = request.pagination?.headers === undefined ? '' : resolved.headers.join('\n');
  return {
    key: `${resolved.method} ${resolved.url}\n${headers}\n${body}`,
    make: async (at, early) => {
      const response = await sendRequest(resolved, at, early);
      return { context: await receiveResponse(request.response, response, at), bytes: response.body };
    },
  };
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [src] What the caller sees
 * of the answer is inferred. [inf]
 */
function prepareEndpoint(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): PreparedExchange {
  const call = page === undefined ? callOfRequest(request, context) : callOfPage(request, page, context);
  const key = atDirective(request.endpoint?.input, context, () => jsonText([call.name, call.input]) ?? '');
  return {
    key,
    make: async (at) => {
      const { callEndpoint } = at.run.rules;
      if (callEndpoint === undefined) throw endpointError('No endpoint can be called here.', at);
      const answered = at.seeing({ ...(await callEndpoint(call, at)) });
      return { context: await judge(request.response, undefined, answered), bytes: undefined };
    },
  };
}

function callOfRequest(request: CompiledRequest, context: RunContext): EndpointCall {
  const { endpoint } = request;
  return {
    name: endpointName(evaluateDirective(endpoint?.name, context), context),
    connection: evaluateDirective(endpoint?.connection, context),
    input: evaluateFlatObject(endpoint?.input, context) ?? {},
  };
}

/** `pagination.endpoint` takes the place of the request's, `pagination.input` is merged by name. [inf] */
function callOfPage(request: CompiledRequest, page: CompiledPagination, context: RunContext): EndpointCall {
  const written = evaluateDirective(page.endpoint, context);
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

function readEndpoint(written: unknown, context: RunContext): Omit<EndpointCall, 'input'> {
  const endpoint: PlainObject = isPlainObject(written) ? written : { name: written };
  return {
    name: endpointName(ownMember(endpoint, 'name'), context),
    connection: ownMember(endpoint, 'connection'),
  };
}

function endpointName(name: unknown, context: RunContext): string {
  if (typeof name === 'string' && name !== '') return name;
  throw endpointError('The name of the endpoint evaluates to nothing.', context);
}

function endpointError(message: string, context: RunContext): Error {
  return runError('RuntimeError', message, context, {
    place: context.document?.placeOf('/endpoint'),
  });
}
