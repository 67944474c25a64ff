import { isDeepStrictEqual } from 'node:util';
import { decodeText } from '../../http/body/decode-text.js';
import { isTextMediaType, readContentType, responseHeader } from '../../http/message/headers.js';
import type { ResponseHeaders } from '../../http/message/transport.js';
import { isSecretName } from '../../redaction/secret-names.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import type { IncomingRequest } from '../fixtures/fixture.js';
import { readTagged } from '../matching/tagged-values.js';
import { tryJson } from '../secrets/find-secrets.js';
import { maskBytes, maskValue } from '../secrets/mask-value.js';
import type { SecretBook } from '../secrets/secret-book.js';
import { isText } from './is-text.js';
import type { KeepsHeader } from './kept-headers.js';
import type { RecordedCall, RecordedResponse } from './record-transport.js';

/** The redacted response of a call for a script. */
export function maskResponse(call: RecordedCall, book: SecretBook, keeps: KeepsHeader): ScriptedResponse {
  const { response, error } = call;
  if (response === undefined) {
    return error === undefined
      ? { delayMs: Math.max(call.durationMs, UNANSWERED_MS) }
      : { networkError: error.errno ?? error.code };
  }
  const { status } = response;
  const headers = maskHeaders(response.headers, book, keeps);
  const body = maskBody(response, book);
  const isPlainJson = body.body !== undefined && headers['content-type'] === 'application/json';
  if (isPlainJson) delete headers['content-type'];
  return { status, ...(Object.keys(headers).length > 0 && { headers }), ...body };
}

/** Longer than a run: the caller has not waited for the end. */
const UNANSWERED_MS = 600_000;

function maskHeaders(
  headers: ResponseHeaders,
  book: SecretBook,
  keeps: KeepsHeader,
): Record<string, string | readonly string[]> {
  const masked: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (keeps(name)) masked[name] = typeof value === 'string' ? book.clean(value) : value.map(book.clean);
  }
  return masked;
}

type MaskedBody = Pick<ScriptedResponse, 'body' | 'bodyText' | 'bodyBase64'>;

function maskBody({ headers, body }: RecordedResponse, book: SecretBook): MaskedBody {
  if (body.byteLength === 0) return {};
  const { mediaType, charset } = readContentType(responseHeader(headers, 'content-type'));
  const isUtf8 = charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset);
  if (!isUtf8 || !isText(body) || responseHeader(headers, 'content-encoding') !== undefined) {
    return { bodyBase64: Buffer.from(maskBytes(body, book)).toString('base64') };
  }
  const text = decodeText(body, undefined);
  const parsed = tryJson(text);
  const isJson = mediaType === '' || isTextMediaType(mediaType);
  if (parsed === undefined || !isJson || holdsTags(text, parsed.value)) return { bodyText: book.clean(text) };
  const value = maskValue(parsed.value, book);
  // JSON is the default content type of scripts.
  return mediaType.endsWith('json') ? { body: value } : { bodyText: JSON.stringify(value) };
}

/** A `{"$date": ...}` of the API would be read as a tag. */
function holdsTags(text: string, value: unknown): boolean {
  return /"\$(?:date|buffer)"/.test(text) && !isDeepStrictEqual(tryRead(value), value);
}

function tryRead(value: unknown): unknown {
  try {
    return readTagged(value);
  } catch {
    return undefined;
  }
}

/** A redacted incoming call. */
export function maskIncoming(request: IncomingRequest, book: SecretBook): IncomingRequest {
  const { headers, bodyBase64, bodyText, query, ...rest } = request;
  const isSecret = (name: string): boolean => isSecretName(name, 'query');
  return {
    ...(maskValue(rest, book) as IncomingRequest),
    ...(query !== undefined && { query: maskValue(query, book, isSecret) as PlainObject }),
    ...(headers !== undefined && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, book.clean(value)])),
    }),
    ...(bodyText !== undefined && { bodyText: book.clean(bodyText) }),
    ...(bodyBase64 !== undefined && {
      bodyBase64: Buffer.from(maskBytes(Buffer.from(bodyBase64, 'base64'), book)).toString('base64'),
    }),
  };
}
