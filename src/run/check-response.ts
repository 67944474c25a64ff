import { APP_ERROR_TYPES, AppError, type AppErrorType } from '../errors/app-error.js';
import { responseHeader } from '../http/message/content-type.js';
import { parseRetryAfter } from '../http/message/retry-after.js';
import type { TransportResponse } from '../http/message/transport.js';
import { toText } from '../iml/values/coerce.js';
import type { Directive } from '../document/compile/compile-directive.js';
import type { CompiledResponse, CompiledValid, ErrorEntry } from '../document/compile/compiled-request.js';
import { evaluateDirective, evaluateFlag } from './scope/evaluate-directive.js';
import type { RunContext } from './run-context.js';

/** Source: specification/001 (response.error), reference/response-spec.md section 4. [doc] */
export function defaultMessage(status: number): string {
  if (status < 400) return 'Response marked as invalid.';
  if (status === 429) return 'Third party API limit likely exceeded';
  if (status >= 500 && status <= 599) return 'Service is temporarily unavailable.';
  return `Status Code Error: ${status}`;
}

/** Source: specification/001 (response.error). [doc] */
export function defaultType(status: number): AppErrorType {
  if (status === 429) return 'RateLimitError';
  return status >= 500 && status <= 599 ? 'ConnectionError' : 'RuntimeError';
}

/**
 * Decides whether a response is good: a status of 400 to 599 never is, any other is what `valid` says.
 * The scope holds the response already.
 *
 * @param response undefined for a request that sends nothing
 * @returns the error the response stands for, or undefined for a good one
 * @see reference/response-spec.md section 4
 */
export function checkResponse(
  spec: CompiledResponse,
  response: TransportResponse | undefined,
  context: RunContext,
): AppError | undefined {
  const status = response?.status;
  const isErrorStatus = status !== undefined && status >= 400 && status <= 599;
  // `valid` is not asked about such a status. Source: reference/open-questions.md no. 9. [choice]
  if (isErrorStatus) return responseError(spec, undefined, response, context);
  const isGood =
    spec.valid === undefined ? isGoodStatus(status) : evaluateFlag(spec.valid.condition, true, context);
  return isGood ? undefined : responseError(spec, spec.valid, response, context);
}

/** Without `valid`: 200 to 399. Source: reference/response-spec.md section 4. [doc] */
function isGoodStatus(status: number | undefined): boolean {
  return status === undefined || (status >= 200 && status <= 399);
}

function responseError(
  spec: CompiledResponse,
  valid: CompiledValid | undefined,
  response: TransportResponse | undefined,
  context: RunContext,
): AppError {
  const status = response?.status ?? 0;
  const entry = spec.error?.entries.get(String(status));
  const sources: readonly (ErrorEntry | CompiledValid | undefined)[] = [valid, entry, spec.error];
  const message =
    firstText(
      sources.map((source) => source?.message),
      context,
    ) ?? defaultMessage(status);
  const named = firstText(
    sources.map((source) => source?.type),
    context,
  );
  const type = named === undefined ? defaultType(status) : readErrorType(named);
  const decided =
    sources.find((source) => source?.message !== undefined) ?? sources.find((source) => source !== undefined);
  return new AppError(type, context.clean(message), {
    statusCode: response?.status,
    requestIndex: context.requestIndex,
    page: context.page,
    place: context.document?.placeOf(decided?.pointer ?? '/url'),
    retryAfterMs: response && retryAfter(response, context),
  });
}

/** An empty message counts as none. Source: reference/open-questions.md no. 11. [choice] */
function firstText(directives: readonly (Directive | undefined)[], context: RunContext): string | undefined {
  for (const directive of directives) {
    const text = toText(evaluateDirective(directive, context));
    if (text !== '') return text;
  }
  return undefined;
}

/** A name that is no type is an UnknownError, the documented fallback. Source: reference/response-spec.md section 4. [doc] */
function readErrorType(name: string): AppErrorType {
  return APP_ERROR_TYPES.find((type) => type === name.trim()) ?? 'UnknownError';
}

function retryAfter(response: TransportResponse, context: RunContext): number | undefined {
  return parseRetryAfter(responseHeader(response.headers, 'retry-after'), context.settings.clock.now());
}
