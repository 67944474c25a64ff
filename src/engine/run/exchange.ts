import { readErrorValue } from '../../language/functions/general.js';
import { createCaseless, describeType, toText } from '../../language/values/value.js';
import {
  APP_ERROR_TYPES,
  AppError,
  type AppErrorOptions,
  type AppErrorType,
  type FailedRequest,
} from '../../shared/errors/app-error.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { type EngineError, isEngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import {
  isCaseless,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type {
  CompiledPagination,
  CompiledRequest,
  CompiledResponse,
  CompiledValid,
  ErrorEntry,
} from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { decodeBody, type ResponseType, selectResponseType } from '../http/body/decode-body.js';
import { jsonText } from '../http/body/encode-body.js';
import { responseHeader } from '../http/headers.js';
import { parseRetryAfter } from '../http/rate-limit.js';
import { hashBody } from '../http/signable-request.js';
import type { TransportRequest, TransportResponse } from '../http/transport.js';
import { collectNamedSecrets, collectSecrets } from '../redaction/secrets.js';
import { type Account, type Shortage, takeTurn, wakeNext } from './call-budget.js';
import { endpointError, evaluateEndpointCall } from './endpoint-call.js';
import { atDirective, evaluateDirective, evaluateFlag, runError } from './evaluate-directive.js';
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
  warnOnce,
  withVariables,
} from './run-context.js';
import { sendInSpan } from './run-spans.js';

/** The exchange of a request or a follow-up page: an HTTP request, or a call of a sibling endpoint. */
export type Exchange =
  | ({ readonly kind: 'http' } & ResolvedRequest)
  | { readonly kind: 'endpoint'; readonly call: EndpointCall; readonly first?: undefined };

/** The response. */
export type Answer =
  | { readonly kind: 'http'; readonly response: TransportResponse }
  | ({ readonly kind: 'endpoint' } & EndpointAnswer);

/**
 * Evaluates the exchange of a request or a follow-up page.
 *
 * @param following undefined for the first request
 * @returns undefined for a follow-up page without an address
 */
export function buildExchange(
  request: CompiledRequest,
  page: CompiledPagination | undefined,
  context: RunContext,
  following?: Following,
): Exchange | undefined {
  if (request.endpoint !== undefined) {
    const call = { ...evaluateEndpointCall(request, page, context), isFollowing: following !== undefined };
    return { kind: 'endpoint', call };
  }
  const resolved = resolveRequest(request, page, context, following);
  return resolved && { kind: 'http', ...resolved };
}

/**
 * Sends an exchange.
 *
 * @throws as `sendRequest`, and errors of the endpoint
 */
export async function sendExchange(exchange: Exchange, context: RunContext): Promise<Answer> {
  if (exchange.kind === 'http') {
    return { kind: 'http', response: await sendRequest(exchange.request, context) };
  }
  const { callEndpoint } = context.run.rules;
  if (callEndpoint === undefined) throw endpointError('No endpoint can be called here.', context);
  return { kind: 'endpoint', ...(await callEndpoint(exchange.call, context)) };
}

const NO_BYTES = new Uint8Array();

/** Maximum size of a body in a key. A longer body is replaced by its hash. */
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
  const { clock, budget } = context.run.settings;
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
    response = await raceWithAbort(sendInSpan(request, context), context);
  } catch (error) {
    throwIfAborted(context, () =>
      describeRequest(
        { request, response: undefined, place: placeOfUrl(context.position.document) },
        context,
      ),
    );
    // Misuse is not an error of the app.
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
  return isAsked && waitMs !== undefined && waitMs > run.timeoutMs - run.elapsedMs;
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

/**
 * Decodes the body of a response as `response.type` says.
 *
 * @returns the context with `statusCode`, `headers` and `body` of the response
 * @throws AppError for a body that is not of that type
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
export function decodeResponse(
  spec: CompiledResponse,
  request: TransportRequest | undefined,
  response: TransportResponse,
  before: RunContext,
): RunContext {
  const { headers, status: statusCode } = response;
  const head = {
    statusCode,
    headers: isCaseless(headers) ? headers : createCaseless(Object.entries(headers)),
  };
  const type = readResponseType(spec, statusCode, withVariables(before, { ...head, body: undefined }));
  const decoded = decodeBody(response, type);
  if (!decoded.ok) {
    const { type: errorType, message, cause } = decoded.error;
    const place = before.position.document?.locationOf(spec.type?.pointer ?? '/response');
    const shown = describeRequest({ request, response, place: placeOfUrl(before.position.document) }, before);
    throw runError(errorType, message, before, { place, cause, statusCode, request: shown });
  }
  before.run.settings.onDecoded?.();
  before.run.log.decoded(response, type, decoded.value);
  return withVariables(before, { ...head, body: decoded.value });
}

function readResponseType({ type }: CompiledResponse, status: number, context: RunContext): ResponseType {
  if (type === undefined) return 'automatic';
  return atDirective(type, context, () => selectResponseType(evaluateDirective(type, context), status));
}

/**
 * Merges an evaluated `temp` into the one so far: collections by name, lists by index. A value that is undefined leaves the
 * earlier one; null and empty text replace it.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/temp [doc]; the merge
 * is that of lodash `_.merge`: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 */
export function extendTemp(directive: Directive | undefined, context: RunContext): RunContext {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null) return context;
  if (!isPlainObject(value)) {
    const place = context.position.document?.locationOf(directive.pointer);
    throw runError('RuntimeError', `temp has to be a collection, not ${describeType(value)}.`, context, {
      place,
    });
  }
  const { log, rules } = context.run;
  const earlier = context.scope['temp'];
  const temp = mergeTemp(isPlainObject(earlier) ? earlier : {}, value);
  atDirective(directive, context, () =>
    log.collect(rules.hidesTemp ? collectSecrets(value) : collectNamedSecrets(value)),
  );
  return withVariables(context, { temp });
}

/** Levels that are merged; below, the later value replaces the earlier one. */
const MAX_MERGED_LEVELS = 64;

function mergeTemp(before: unknown, now: unknown, level = 0): unknown {
  if (now === undefined) return before;
  if (level > MAX_MERGED_LEVELS) return now;
  if (Array.isArray(before) && Array.isArray(now)) {
    const length = Math.max(before.length, now.length);
    return Array.from({ length }, (_, index) => mergeTemp(before[index], now[index], level + 1));
  }
  if (!isPlainObject(before) || !isPlainObject(now)) return now;
  const merged: PlainObject = { ...before };
  for (const [name, value] of Object.entries(now)) {
    setMember(merged, name, mergeTemp(ownMember(merged, name), value, level + 1));
  }
  return merged;
}

/** Why a response failed; the message may contain secrets. */
export interface ResponseFailure {
  readonly type: AppErrorType;
  readonly message: string;
  readonly details: Pick<AppErrorOptions, 'code' | 'statusCode' | 'place' | 'retryAfterMs' | 'cause'>;
}

/** The exchange of a failed request. */
interface FailedExchange {
  readonly request: TransportRequest | undefined;
  readonly response: TransportResponse | undefined;
  readonly place: SourceLocation | undefined;
}

/** The redacted error of a response. */
export function failureError(
  { type, message, details }: ResponseFailure,
  context: RunContext,
  exchange?: FailedExchange,
): AppError {
  const request = exchange && describeRequest(exchange, context);
  return runError(type, message, context, { ...details, request });
}

/** Maximum length of a response body in an error. */
const MAX_SHOWN_BODY = 200;

/** The redacted exchange for an error, with the start of the body. */
export function describeRequest(
  { request, response, place }: FailedExchange,
  context: RunContext,
): FailedRequest | undefined {
  if (request === undefined) return undefined;
  const { redactor } = context.run.log;
  const { method } = request;
  const url = redactor.url(request.url);
  if (response === undefined) return { method, url, place };
  const statusCode = response.status;
  // A response to a request of a connection may hold credentials under any name; its message has the provider's error.
  if (context.run.rules.hidesTemp === true) return { method, url, statusCode, place };
  const { body } = redactor.response(response);
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return { method, url, statusCode, body: text.slice(0, MAX_SHOWN_BODY), place };
}

/**
 * Decides whether a response is good: a status of 400 to 599 never is, any other is what `valid` says.
 * The scope holds the response already.
 *
 * @param response undefined for a request that sends nothing
 * @returns the failure the response stands for, or undefined for a good one
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/valid
 */
export function checkResponse(
  spec: CompiledResponse,
  response: TransportResponse | undefined,
  context: RunContext,
): ResponseFailure | undefined {
  const status = response?.status;
  const isErrorStatus = status !== undefined && status >= 400 && status <= 599;
  // `valid` is not evaluated for such a status. [choice]
  if (isErrorStatus) return readFailure(spec, undefined, response, context);
  const isGood =
    spec.valid === undefined ? isGoodStatus(status) : evaluateFlag(spec.valid.condition, true, context);
  return isGood ? undefined : readFailure(spec, spec.valid, response, context);
}

/** Without `valid`: 200 to 399. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error [doc] */
function isGoodStatus(status: number | undefined): boolean {
  return status === undefined || (status >= 200 && status <= 399);
}

function readFailure(
  spec: CompiledResponse,
  valid: CompiledValid | undefined,
  response: TransportResponse | undefined,
  context: RunContext,
): ResponseFailure {
  const status = response?.status ?? 0;
  // `error` beside `url`: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
  const { error, outerError } = spec;
  const code = String(status);
  const entries = [error?.entries.get(code), error, outerError?.entries.get(code), outerError];
  const sources = [valid, ...entries].filter((source) => source !== undefined);
  const reader = new ErrorReader(status, context);
  for (const source of sources) reader.read(source);
  const { message, type, failure } = reader;
  const decided = sources.find((source) => source.message !== undefined) ?? sources[0];
  return {
    type: type === undefined ? defaultErrorType(status) : readErrorType(type),
    message: message === undefined || isStatusAlone(message) ? defaultErrorMessage(status) : message,
    details: {
      code: refusalCode(spec, status),
      statusCode: response?.status,
      place: failure?.place ?? locateError(decided, context),
      retryAfterMs: response && retryAfter(response, context),
      cause: failure,
    },
  };
}

/** The entry that decided, or its message if the base has it and the component has the entry. */
function locateError(
  decided: ErrorEntry | CompiledValid | undefined,
  { position: { document } }: RunContext,
): SourceLocation | undefined {
  const entry = document?.locationOf(decided?.pointer ?? '/url');
  if (decided?.message?.pointer.startsWith(`${decided.pointer}/`) !== true) return entry;
  const message = document?.locationOf(decided.message.pointer);
  const isInside =
    message?.file === entry?.file && message?.pointer?.startsWith(entry?.pointer ?? '') === true;
  return isInside ? entry : message;
}

function refusalCode(spec: CompiledResponse, status: number): ErrorCode | undefined {
  const isTransient = status === 429 || isServerError(status);
  if (spec.refusalCode !== undefined && !isTransient) return spec.refusalCode;
  return status >= 400 ? 'HTTP_STATUS' : undefined;
}

/** Reads message and type of an error from the places they can be written in, the first that says something winning. */
class ErrorReader {
  /** An empty message counts as none. [choice] */
  message: string | undefined;
  type: string | undefined;
  /** The first evaluation error. */
  failure: AppError | undefined;
  readonly #status: number;
  readonly #context: RunContext;

  constructor(status: number, context: RunContext) {
    this.#status = status;
    this.#context = context;
  }

  read(source: ErrorEntry | CompiledValid): void {
    if (this.message === undefined) {
      const value = this.#evaluate(source.message);
      // An expression can return the whole entry, which is read like a literal one.
      const isInPlace = source.message?.pointer === source.pointer;
      const made = isInPlace ? readErrorValue(value) : undefined;
      if (made !== undefined) {
        // An error of `errorFactory` sets its type and message, and takes precedence over other types. Source:
        // https://github.com/minsu-kang/make-custom-app-skill, component-patterns-reference. [inf]
        this.message = made.message || undefined;
        this.type = made.name;
      } else if (isInPlace && isPlainObject(value) && this.#isEntry(value)) {
        this.#readEntry(value, source.message);
      } else this.message = this.#toText(value, source.message);
    }
    this.type ??= this.#toText(this.#evaluate(source.type), source.type);
  }

  /** Any other collection is a message, shown as text. */
  #isEntry(value: PlainObject): boolean {
    return ['message', 'type', String(this.#status)].some((name) => Object.hasOwn(value, name));
  }

  #readEntry(entry: PlainObject, directive: Directive | undefined): void {
    const ofStatus = ownMember(entry, String(this.#status));
    const entries = isPlainObject(ofStatus) ? [ofStatus, entry] : [{ message: ofStatus }, entry];
    for (const known of entries) {
      this.message ??= this.#toText(ownMember(known, 'message'), directive);
      this.type ??= this.#toText(ownMember(known, 'type'), directive);
    }
  }

  #evaluate(directive: Directive | undefined): unknown {
    return this.#attempt(() => evaluateDirective(directive, this.#context));
  }

  /** Undefined for values without text, or with text above the limit. */
  #toText(value: unknown, directive: Directive | undefined): string | undefined {
    return this.#attempt(() => atDirective(directive, this.#context, () => toText(value))) || undefined;
  }

  /** An error in the error directive must not hide the failed response. */
  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!isEngineError(error, AppError)) throw error;
      this.failure ??= error;
      const message = `The error of the response could not be evaluated: ${error.message}`;
      warnOnce({ code: 'error-directive', message, place: error.place }, this.#context);
      return undefined;
    }
  }
}

/** Of `[{{statusCode}}] {{body.message}}` without a message in the body. [choice] */
function isStatusAlone(message: string): boolean {
  return /^\s*\[\d{3}\]\s*$/.test(message);
}

/**
 * The type of the error of a failed response, by its status, if the app names none.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error [doc]
 */
function defaultErrorType(status: number): AppErrorType {
  if (status === 429) return 'RateLimitError';
  return isServerError(status) ? 'ConnectionError' : 'RuntimeError';
}

/** Its message, by the same source. Below 400 it is `valid` that refused the response. */
function defaultErrorMessage(status: number): string {
  if (status < 400) return 'Response marked as invalid.';
  if (status === 429) return 'Third party API limit likely exceeded';
  return isServerError(status) ? 'Service is temporarily unavailable.' : `Status Code Error: ${status}`;
}

function isServerError(status: number): boolean {
  return status >= 500 && status <= 599;
}

/**
 * An unknown type becomes UnknownError, the documented fallback. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error [doc]
 */
function readErrorType(name: string): AppErrorType {
  return APP_ERROR_TYPES.find((type) => type === name.trim()) ?? 'UnknownError';
}

function retryAfter(response: TransportResponse, context: RunContext): number | undefined {
  return parseRetryAfter(responseHeader(response.headers, 'retry-after'), context.run.settings.clock.now());
}
