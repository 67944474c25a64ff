import type { CompiledPagination, CompiledRequest } from '../document/compile/compiled-request.js';
import type { Document } from '../document/reading/document.js';
import type { AppError } from '../errors/app-error.js';
import { type EngineError, isOurs } from '../errors/engine-error.js';
import type { Place } from '../errors/place.js';
import { jsonText } from '../http/body/json-text.js';
import { textBytes } from '../http/body/text-bytes.js';
import type { TransportRequest, TransportResponse } from '../http/message/transport.js';
import { hashBody } from '../http/signing/hash-body.js';
import { isTurnOver, Turns } from '../util/turns.js';
import { endpointError, evaluateEndpointCall } from './request/endpoint-call.js';
import { chooseNetworkErrorType } from './request/network-error-type.js';
import { resolveRequest } from './request/resolve-request.js';
import { waitForCallBudget } from './request/wait-for-call-budget.js';
import { judge, receiveResponse } from './response/receive-response.js';
import { atDirective, atOnce, runError } from './scope/evaluate-directive.js';
import type { RunContext } from './scope/run-context.js';

/** One exchange of a request, evaluated and ready to be made. */
export interface PreparedExchange {
  /** What is asked: two exchanges with the same key ask the same. Undefined where there are no further pages. */
  readonly key: string | undefined;
  readonly make: (context: RunContext) => Promise<MadeExchange>;
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
  return {
    key: request.pagination === undefined ? undefined : printExchange(resolved, request.pagination),
    make: async (at) => {
      const response = await sendRequest(resolved, at);
      return { context: await receiveResponse(request.response, response, at), bytes: response.body };
    },
  };
}

const NO_BYTES = new Uint8Array();

/** Bytes of what is sent that are kept of each page to know it again; of more a hash is. */
const MAX_PRINTED = 1024;

function printExchange(
  { method, url, headers, body = NO_BYTES }: TransportRequest,
  pagination: CompiledPagination,
): string {
  // Only where pages may be told apart by them: a signature is another one each time.
  const shown = pagination.headers === undefined ? '' : headers.join('\n');
  const bytes =
    body.byteLength > MAX_PRINTED
      ? hashBody('sha256', body)
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return `${method} ${url}\n${shown}\n${bytes.toString('latin1')}`;
}

/** What the caller sees of the answer is inferred. [inf] */
function prepareEndpoint(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
): PreparedExchange {
  const call = evaluateEndpointCall(request, page, context);
  const printCall = (): string | undefined => {
    const text = jsonText([call.name, call.input]);
    if (text === undefined || text.length <= MAX_PRINTED) return text;
    return hashBody('sha256', textBytes(text)).toString('latin1');
  };
  return {
    key:
      request.pagination === undefined ? undefined : atDirective(request.endpoint?.input, context, printCall),
    make: async (at) => {
      const { callEndpoint } = at.run.rules;
      if (callEndpoint === undefined) throw endpointError('No endpoint can be called here.', at);
      const answered = at.seeing({ ...(await callEndpoint(call, at)) });
      return { context: await judge(request.response, undefined, answered), bytes: undefined };
    },
  };
}

/**
 * Sends one request and counts it.
 *
 * @throws AppError: ConnectionError without a response, RuntimeError where trying again cannot help,
 *   MaxFileSizeExceededError for a response above the ceiling, ModuleTimeoutError when the time of the module is up;
 *   the reason of the caller's signal once that is aborted
 */
async function sendRequest(request: TransportRequest, context: RunContext): Promise<TransportResponse> {
  const { clock, budget, transport } = context.settings;
  const { log } = context.run;
  context.counters.requests++;
  const connection = context.run.connection ?? context.run.identifyConnection();
  // To find the place of an address in a large file takes long, and what it was evaluated by may have taken the turn.
  if (isTurnOver()) await new Turns(() => context.assertGoesOn()).next();
  const now = clock.now();
  const account = budget.open(request.url, connection, now);
  const shortage = budget.admit(account, now);
  if (shortage !== undefined) await waitForCallBudget(account, shortage, context);
  // Nothing that waits or throws may stand between here and `leave`, the clock neither: others would wait for this call for ever.
  let sentAt = now;
  let response: TransportResponse;
  try {
    log.send(request);
    traceRequest(request, context);
    // Whoever hears of it may end the run.
    context.assertGoesOn();
    sentAt = clock.now();
    response = await transport(request);
  } catch (error) {
    context.assertGoesOn();
    // Misuse is no outcome of the app.
    throw isOurs(error) && error.code !== 'USAGE' ? exchangeError(error, context) : error;
  } finally {
    budget.leave(account);
  }
  budget.heed(account, response, sentAt, clock.now());
  context.assertGoesOn();
  log.receive(response);
  traceResponse(response, clock.now() - sentAt, context);
  return response;
}

function exchangeError(error: EngineError, context: RunContext): AppError {
  const place = placeOfUrl(context);
  return runError(chooseNetworkErrorType(error.code), error.message, context, { place, cause: error });
}

function traceRequest(request: TransportRequest, context: RunContext): void {
  const { log } = context.run;
  const isFull = context.settings.trace !== 'summary';
  const place = placeOfUrl(context) ?? {};
  const size = request.body?.byteLength ?? 0;
  // Neither the body nor the context, whose names hold the last body: an event that is never rendered would keep them.
  const sent = {
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: isFull ? request.body : undefined,
  };
  context.emitLater(() => {
    const { method, url, headers, body } = log.redactor.request(sent);
    return { kind: 'request', method, url, headers, ...(isFull && { body }), size, place };
  });
}

function traceResponse(response: TransportResponse, durationMs: number, context: RunContext): void {
  const { log } = context.run;
  const isFull = context.settings.trace !== 'summary';
  const { byteLength: size } = response.body;
  // Without the body, which an event that is never rendered would keep.
  const received = isFull ? response : { ...response, body: undefined };
  context.emitLater(() => {
    const { status, headers, body } = log.redactor.response(received);
    return { kind: 'response', status, headers, ...(isFull && { body }), size, durationMs };
  });
}

/** Finding a place reads the file's text again, which is too much for every page. */
const URL_PLACES = new WeakMap<Document, Place>();

function placeOfUrl({ document }: RunContext): Place | undefined {
  if (document === undefined) return undefined;
  const place = URL_PLACES.get(document) ?? document.placeOf('/url');
  URL_PLACES.set(document, place);
  return place;
}
