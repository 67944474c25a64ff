import type { AppError, AppErrorType } from '../../shared/errors/app-error.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { type EngineError, isEngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { CompiledPagination, CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { jsonText } from '../http/body/json-text.js';
import { hashBody } from '../http/signing/hash-body.js';
import type { TransportRequest, TransportResponse } from '../http/transport.js';
import { type Account, type Shortage, takeTurn, wakeNext } from './call-budget.js';
import { endpointError, evaluateEndpointCall } from './endpoint-call.js';
import { atDirective, runError } from './evaluate-directive.js';
import { describeRequest } from './receive-response.js';
import { type Following, type ResolvedRequest, resolveRequest } from './resolve-request.js';
import {
  awaitAbortable,
  type EndpointAnswer,
  type EndpointCall,
  emit,
  emitLater,
  type RunContext,
  raceWithAbort,
  throwIfAborted,
} from './run-context.js';

/** What a request, or a follow-up page of it, sends: an HTTP request, or a call of a sibling endpoint. */
export type Exchange =
  | ({ readonly kind: 'http' } & ResolvedRequest)
  | { readonly kind: 'endpoint'; readonly call: EndpointCall; readonly first?: undefined };

/** The response. */
export type Answer =
  | { readonly kind: 'http'; readonly response: TransportResponse }
  | ({ readonly kind: 'endpoint' } & EndpointAnswer);

/**
 * Evaluates what a request, or a follow-up page of it, sends.
 *
 * @param following undefined for the first request
 * @param last the exchange before, for headers that stay the same from page to page
 * @returns undefined for a follow-up page without an address
 */
export function buildExchange(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
  following?: Following,
  last?: Exchange,
): Exchange | undefined {
  if (request.endpoint !== undefined) {
    const call = { ...evaluateEndpointCall(request, page, context), isFollowing: following !== undefined };
    return { kind: 'endpoint', call };
  }
  const before = last?.kind === 'http' ? last : undefined;
  const resolved = resolveRequest(request, page, context, { following, last: before });
  return resolved && { kind: 'http', ...resolved };
}

/** Sends an exchange. @throws as `sendRequest`; what the endpoint throws */
export async function sendExchange(exchange: Exchange, context: RunContext): Promise<Answer> {
  if (exchange.kind === 'http') {
    return { kind: 'http', response: await sendRequest(exchange.request, context) };
  }
  const { callEndpoint } = context.run.rules;
  if (callEndpoint === undefined) throw endpointError('No endpoint can be called here.', context);
  return { kind: 'endpoint', ...(await callEndpoint(exchange.call, context)) };
}

const NO_BYTES = new Uint8Array();

/** Bytes of a body that a key holds; of longer ones it holds a hash. */
const MAX_KEY_BYTES = 1024;

/** Exchanges with the same key send equal requests. */
export function exchangeKey(
  exchange: Exchange,
  pagination: CompiledPagination,
  context: RunContext,
): string | undefined {
  if (exchange.kind === 'endpoint') {
    const { name, input } = exchange.call;
    const text = atDirective(pagination.input, context, () => jsonText([name, input]));
    if (text === undefined || text.length <= MAX_KEY_BYTES) return text;
    return hashBody('sha256', Buffer.from(text, 'utf8')).toString('latin1');
  }
  const { method, url, headers, body = NO_BYTES } = exchange.request;
  // Headers count only where pagination sets them: a signature changes with each request.
  const shown = pagination.headers === undefined ? '' : headers.join('\n');
  const bytes =
    body.byteLength > MAX_KEY_BYTES
      ? hashBody('sha256', body)
      : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return `${method} ${url}\n${shown}\n${bytes.toString('latin1')}`;
}

/**
 * Sends one request and counts it.
 *
 * @throws AppError: ConnectionError without a response, RuntimeError if a retry cannot help,
 *   MaxFileSizeExceededError for a response above the limit, ModuleTimeoutError when the time of the module is up;
 *   the reason of the caller's signal once that is aborted
 */
async function sendRequest(request: TransportRequest, context: RunContext): Promise<TransportResponse> {
  const { clock, budget, transport } = context.run.settings;
  const { log } = context.run;
  context.run.counters.requests++;
  const now = clock.now();
  const account = budget.open(request.url, context.run.connection, now);
  const shortage = budget.admit(account, now);
  if (shortage !== undefined) await waitForCallBudget(account, shortage, context);
  // Nothing may wait or throw between here and `leave`, or requests that wait for this one would never continue.
  let response: TransportResponse;
  let sentAt = now;
  try {
    log.send(request);
    traceRequest(request, context);
    // A trace listener may abort the run.
    throwIfAborted(context);
    sentAt = clock.now();
    response = await raceWithAbort(transport(request), context);
  } catch (error) {
    throwIfAborted(context);
    // Misuse is no outcome of the app.
    throw isEngineError(error) && error.code !== 'USAGE' ? exchangeError(error, request, context) : error;
  } finally {
    budget.leave(account);
  }
  budget.applyHeaders(account, response, sentAt, clock.now());
  throwIfAborted(context);
  log.receive(response);
  traceResponse(response, clock.now() - sentAt, context);
  return response;
}

/**
 * Types of errors without a response.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_TYPES: Partial<Record<ErrorCode, AppErrorType>> = {
  NETWORK_FAILED: 'ConnectionError',
  NETWORK_TIMEOUT: 'ConnectionError',
  NETWORK_RESPONSE_TOO_LARGE: 'MaxFileSizeExceededError',
};

function exchangeError(error: EngineError, request: TransportRequest, context: RunContext): AppError {
  const place = placeOfUrl(context.position.document);
  return runError(ERROR_TYPES[error.code] ?? 'RuntimeError', error.message, context, {
    code: error.code,
    place,
    cause: error,
    request: describeRequest({ request, response: undefined, place }, context),
  });
}

function traceRequest(request: TransportRequest, context: RunContext): void {
  const { run, position } = context;
  const { document } = position;
  const isFull = run.settings.trace !== 'summary';
  const size = request.body?.byteLength ?? 0;
  // Contains neither the body nor the context: an event that is never rendered would keep them in memory.
  const { method, url, headers } = request;
  const sent = { method, url, headers, body: isFull ? request.body : undefined };
  emitLater(() => {
    const { body, ...shown } = run.log.redactor.request(sent);
    return { kind: 'request', ...shown, ...(isFull && { body }), size, place: placeOfUrl(document) ?? {} };
  }, context);
}

function traceResponse(response: TransportResponse, durationMs: number, context: RunContext): void {
  const { run } = context;
  const isFull = run.settings.trace !== 'summary';
  const { byteLength: size } = response.body;
  // Without the body: an event that is never rendered would keep it in memory.
  const received = isFull ? response : { ...response, body: undefined };
  emitLater(() => {
    const { status, headers, body } = run.log.redactor.response(received);
    return { kind: 'response', status, headers, ...(isFull && { body }), size, durationMs };
  }, context);
}

/** Cached, because finding a location reads the file again. */
const URL_PLACES = new WeakMap<Document, SourceLocation>();

function placeOfUrl(document: Document | undefined): SourceLocation | undefined {
  if (document === undefined) return undefined;
  const place = URL_PLACES.get(document) ?? document.locationOf('/url');
  URL_PLACES.set(document, place);
  return place;
}

/**
 * Waits until the budget allows a request, and counts it. A wait that the API asks for applies within the time of the run: a call
 * that would have to wait longer goes out at once, as it would without a budget, and the service answers what it likes.
 * Figures of the embedder's hold until the time of the run is up. [choice]
 *
 * @throws as `throwIfAborted`
 * @see docs/limits.md (Budget)
 */
async function waitForCallBudget(account: Account, first: Shortage, context: RunContext): Promise<void> {
  const { budget } = context.run.settings;
  let shortage: Shortage | undefined = first;
  let isNext = false;
  try {
    while (shortage !== undefined) {
      if (isTooLong(shortage, context)) {
        budget.force(account, context.run.settings.clock.now());
        return;
      }
      await waitFor(shortage, account, context);
      isNext ||= shortage.waitMs === undefined;
      shortage = budget.admit(account, context.run.settings.clock.now(), isNext);
    }
  } catch (error) {
    if (isNext) wakeNext(account);
    throw error;
  }
}

function isTooLong({ reason, waitMs }: Shortage, { run }: RunContext): boolean {
  const isAsked = reason === 'retry-after' || reason === 'rate-limit';
  return isAsked && waitMs !== undefined && waitMs > run.rules.timeoutMs - run.elapsedMs;
}

async function waitFor(shortage: Shortage, account: Account, context: RunContext): Promise<void> {
  const { clock } = context.run.settings;
  const { reason, waitMs, limit } = shortage;
  const { origin } = account;
  emit({ kind: 'wait', reason: 'budget', delayMs: waitMs, because: reason, origin, limit }, context);
  const startedAt = clock.now();
  const waiting =
    waitMs === undefined ? takeTurn(account, context.run.signal) : clock.sleep(waitMs, context.run.signal);
  try {
    await awaitAbortable(waiting, context);
  } finally {
    context.run.addWait({ origin, reason, limit }, clock.now() - startedAt);
  }
}
