import {
  ANY_TEXT,
  checkMembers,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  readSafely,
  resolveBounds,
} from '../../shared/errors/check-options.js';
import { EngineError, isEngineError, WebhookError } from '../../shared/errors/engine-error.js';
import type { HeaderEntry } from '../http/transport.js';

/** A webhook call as received, with everything needed to process it now or later. */
export interface IncomingCall {
  /** Upper case. */
  readonly method: string;
  /** Absolute or only a path; its query counts. */
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  /** As received, before any decoding. */
  readonly body: Uint8Array;
}

/** The query of a call without `?`. */
export function readCallQuery(url: string): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  const fragment = url.indexOf('#', mark);
  return url.slice(mark + 1, fragment === -1 ? undefined : fragment);
}

export interface ReadCall {
  /** Without a body if it could not be read. */
  readonly call: IncomingCall;
  readonly error?: WebhookError;
}

const EMPTY = new Uint8Array();

/**
 * Reads a request whole, up to a ceiling: one that is larger is not read to its end.
 *
 * @param maxBytes bytes of the body, as received
 * @throws EngineError (USAGE) for a request whose body somebody else has read
 */
export function readCall(request: Request | IncomingCall, maxBytes: number): ReadCall | Promise<ReadCall> {
  return isRequest(request) ? readRequest(request, maxBytes) : checkCall(request, maxBytes);
}

async function readRequest(request: Request, maxBytes: number): Promise<ReadCall> {
  if (request.bodyUsed) throw new EngineError('USAGE', 'The body of the request has been read before.');
  const head = { method: request.method.toUpperCase(), url: request.url, headers: [...request.headers] };
  try {
    return { call: { ...head, body: await readCallBody(request, maxBytes) } };
  } catch (error) {
    return { call: { ...head, body: EMPTY }, error: asWebhookError(error) };
  }
}

/** A web request, also one of another copy of Fetch or another realm. */
function isRequest(request: Request | IncomingCall): request is Request {
  return readSafely(CALL, () => request instanceof Request || REQUEST.fits(request));
}

const CALL = 'The call of a webhook';
const REQUEST: OptionShape = objectWithFunctions(['arrayBuffer', 'clone']);

const CALL_SHAPES: OptionShapes<IncomingCall> = {
  method: ANY_TEXT,
  url: ANY_TEXT,
  headers: {
    expected: 'a list of pairs of texts',
    fits: (value) =>
      Array.isArray(value) &&
      value.every(
        (entry) => Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string',
      ),
  },
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
};

/** @throws EngineError (USAGE) for what is neither a web request nor a call that was kept */
function checkCall(call: IncomingCall, maxBytes: number): ReadCall {
  checkMembers(call, CALL_SHAPES, CALL, true);
  const missing = Object.keys(CALL_SHAPES).find((name) => Reflect.get(call, name) === undefined);
  if (missing !== undefined) throw new EngineError('USAGE', `${CALL}: "${missing}" is missing.`);
  if (call.body.byteLength <= maxBytes) return { call };
  return { call: { ...call, body: EMPTY }, error: tooLarge(maxBytes) };
}

/**
 * The bytes of a request. One that came in one piece is handed on as it is, without a copy.
 *
 * @throws WebhookError (WEBHOOK_TOO_LARGE); what reading the stream rejects with
 */
export async function readCallBody(
  request: Request,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  // A declared length can refuse a call, but is not trusted.
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return EMPTY;
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, length);
}

function tooLarge(maxBytes: number): WebhookError {
  return new WebhookError('WEBHOOK_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`);
}

function asWebhookError(error: unknown): WebhookError {
  if (isEngineError(error, WebhookError)) return error;
  return new WebhookError('WEBHOOK_PAYLOAD', 'The payload did not arrive whole.', { cause: error });
}

/** Limits of one webhook call. */
export interface WebhookLimits {
  /** Bytes of the payload, as received and decoded. Default 5 MB. */
  readonly maxBodyBytes: number;
  /** Items `iterate` may find. Default 100000. */
  readonly maxItems: number;
  /** Fields of a form, or parts of a multipart payload. Default 10000. */
  readonly maxFields: number;
  /** Maximum nesting of lists and collections. Default 1000. */
  readonly maxDepth: number;
}

/** 5 MB as reported by users of the platform. [app] The rest: [choice] */
const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = Object.freeze({
  maxBodyBytes: 5 * 1024 * 1024,
  maxItems: 100_000,
  maxFields: 10_000,
  maxDepth: 1_000,
});

/**
 * The defaults with the given ones in their place.
 *
 * @throws EngineError (USAGE) for a name that is no limit, and for a value that is no whole number of at least 0
 */
export function resolveWebhookLimits(given: Partial<WebhookLimits> = {}): WebhookLimits {
  return resolveBounds(DEFAULT_WEBHOOK_LIMITS, given);
}
