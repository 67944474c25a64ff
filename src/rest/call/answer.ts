import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../shared/errors/codes.js';
import { RestError, StoreError } from '../../shared/errors/engine-error.js';
import type { Refusal } from '../../shared/server/plain-request.js';
import { badRequest, failed, invalidParameter, refused, tooLarge, tooMuch } from '../problems.js';
import type { RawContents } from './operation.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Largest response body. */
const MAX_BYTES: number = 32 * 1024 * 1024;

/**
 * Headers by name in lower case. A plain object is faster than `Headers`, which validates and sorts on each access.
 */
export type PlainHeaders = Readonly<Record<string, string>>;

/** A response under construction. */
export interface Answer {
  readonly status: number;
  readonly headers: PlainHeaders;
  /** Null without a body. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Creates the response to a successful request. @throws RestError 400 `SC400` if the body exceeds 32 MiB */
export function writeSuccess(value: unknown, contents?: RawContents): Answer {
  if (typeof value === 'string') {
    const [type = 'text/plain'] = contents?.types ?? [];
    if (contents?.encoding !== 'base64') return writeAnswer(value, `${type}; charset=utf-8`);
    return writeAnswer(new Uint8Array(Buffer.from(value, 'base64')), type);
  }
  const answer = writeAnswer(JSON.stringify(value), JSON_TYPE);
  if (Number(answer.headers['content-length']) > MAX_BYTES) throw tooMuch(MAX_BYTES);
  return answer;
}

/**
 * The response to a refused or failed call. Source: https://developers.make.com/api-documentation (http status codes)
 * [doc], members as the public client reads them [src].
 */
export function writeRefusal(error: RestError): Answer {
  const { message, apiCode, status, headers, suberrors } = error;
  const body = { detail: error.detail ?? message, message, code: apiCode, ...(suberrors && { suberrors }) };
  return writeAnswer(JSON.stringify(body), JSON_TYPE, { status, headers });
}

/** Sets the content length, which responses to HEAD have as well. */
function writeAnswer(
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: PlainHeaders } = {},
): Answer {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body };
}

/** Adds the common headers to a response. */
export function completeAnswer({ status, headers, body }: Answer, further: PlainHeaders): Response {
  return new Response(body, { status, headers: { ...headers, ...further } });
}

/** Errors of the store that may be temporary. */
const TEMPORARY: Readonly<Partial<Record<ErrorCode, string>>> = {
  STORE_BUSY: 'Too many changes at once, please try again.',
  STORE_UNAVAILABLE: 'The database does not respond. Try again later.',
  STORE_FULL: 'No space left for data.',
};

/** Converts a thrown value to a refusal. Callers do not see details of defects. */
export function toRestError(error: unknown): RestError {
  if (error instanceof RestError && error.code !== 'REST_CONFIG') return error;
  if (error instanceof StoreError && error.code === 'STORE_CONFLICT') {
    const detail = 'A value that must be unique is already taken.';
    return refused('IM005', { message: 'Invalid input parameters', detail, cause: error });
  }
  const reason = error instanceof StoreError ? TEMPORARY[error.code] : undefined;
  if (error instanceof StoreError && reason !== undefined) {
    return new RestError(error.code, 'Service Unavailable', {
      status: 503,
      apiCode: 'SC503',
      detail: reason,
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
  return failed(error);
}

/** Response headers that pages of other origins may read. */
const EXPOSED = 'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id';

/** The headers of every response. */
export function commonHeaders(cors: string | undefined, requestId: string): PlainHeaders {
  return {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...(cors !== undefined && {
      'access-control-allow-origin': cors,
      'access-control-expose-headers': EXPOSED,
    }),
  };
}

/** The response to a CORS preflight request. */
export function preflight(methods: readonly string[]): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  };
}

/** The response to a request that cannot reach an operation because of an error, in the form of all other errors. */
export function answerFailure(error: unknown): Response {
  return completeAnswer(writeRefusal(toRestError(error)), commonHeaders(undefined, randomUUID()));
}

/** Formats errors of the server before an operation like all other errors. */
export function answerRefusal(refusal: Refusal, maxBodyBytes: number): Response {
  return answerFailure(describeRefusal(refusal, maxBodyBytes));
}

function describeRefusal(refusal: Refusal, maxBodyBytes: number): RestError {
  switch (refusal) {
    case 'unreadable':
      return badRequest([invalidParameter('request', 'must be readable')]);
    case 'too-large':
      return tooLarge(maxBodyBytes);
    case 'too-slow':
      return new RestError('REST_REQUEST', 'Request Timeout', {
        status: 408,
        apiCode: 'SC408',
        detail: 'The request was not received in time.',
      });
    case 'busy':
    case 'full':
      return new RestError('REST_REQUEST', 'Service Unavailable', {
        status: 503,
        apiCode: 'SC503',
        detail: 'Too many concurrent requests. Try again later.',
        headers: { 'retry-after': '1' },
      });
    case 'failed':
      return toRestError(undefined);
  }
}
