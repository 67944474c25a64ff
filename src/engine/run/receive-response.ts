import { readErrorValue } from '../../language/functions/general.js';
import { toText } from '../../language/values/coerce.js';
import { createCaseless } from '../../language/values/collection.js';
import { describeType } from '../../language/values/value-kind.js';
import {
  APP_ERROR_TYPES,
  AppError,
  type AppErrorOptions,
  type AppErrorType,
  type FailedRequest,
} from '../../shared/errors/app-error.js';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { isEngineError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import {
  isCaseless,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledResponse, CompiledValid, ErrorEntry } from '../document/compiled-request.js';
import { decodeBody, type ResponseType, selectResponseType } from '../http/body/body-decoding.js';
import { responseHeader } from '../http/headers.js';
import { parseRetryAfter } from '../http/rate-limit.js';
import type { TransportRequest, TransportResponse } from '../http/transport.js';
import { collectNamedSecrets, collectSecrets } from '../redaction/collect-secrets.js';
import { atDirective, evaluateDirective, evaluateFlag, runError } from './evaluate-directive.js';
import { type RunContext, warnOnce, withVariables } from './run-context.js';

/**
 * Decodes the body of a response as `response.type` says.
 *
 * @returns the context with `statusCode`, `headers` and `body` of the response
 * @throws AppError for a body that is not of that type
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
export function decodeResponse(
  spec: CompiledResponse,
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
    throw runError(errorType, message, before, { place, cause, statusCode });
  }
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
  // `valid` is not asked about such a status. [choice]
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
      place: failure?.place ?? context.position.document?.locationOf(decided?.pointer ?? '/url'),
      retryAfterMs: response && retryAfter(response, context),
      cause: failure,
    },
  };
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
        // What `errorFactory` made gives its type along with its message, whatever else names a type.
        // Source: https://github.com/minsu-kang/make-custom-app-skill, component-patterns-reference. [inf]
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

/** A name that is no type is an UnknownError, the documented fallback. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error [doc] */
function readErrorType(name: string): AppErrorType {
  return APP_ERROR_TYPES.find((type) => type === name.trim()) ?? 'UnknownError';
}

function retryAfter(response: TransportResponse, context: RunContext): number | undefined {
  return parseRetryAfter(responseHeader(response.headers, 'retry-after'), context.run.settings.clock.now());
}
