import { isDeepStrictEqual } from 'node:util';
import { decodeText } from '../../../engine/http/body/decode-body.js';
import { isTextMediaType, readContentType, responseHeader } from '../../../engine/http/headers.js';
import type { ResponseHeaders } from '../../../engine/http/transport.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import type { IncomingRequest } from '../fixtures/fixture.js';
import { readTagged } from '../matching/tagged-values.js';
import { tryJson } from '../secrets/find-secrets.js';
import { maskBytes, maskValue } from '../secrets/mask-value.js';
import type { SecretBook } from '../secrets/secret-book.js';
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

/** Transport and browser headers. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade'],
  ...['date', 'server', 'via', 'x-powered-by', 'alt-svc', 'nel', 'report-to', 'server-timing', 'age'],
  ...['strict-transport-security', 'expect-ct', 'content-security-policy', 'x-content-type-options'],
  ...['x-frame-options', 'x-xss-protection', 'referrer-policy', 'permissions-policy', 'vary'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'cross-origin-embedder-policy'],
  ...['cf-ray', 'cf-cache-status', 'x-request-time', 'origin-agent-cluster', 'x-dns-prefetch-control'],
]);

/** Selects response headers to keep: those that the app reads, and others that are useful. */
export type KeepsHeader = (name: string) => boolean;

/** Lower-case names of headers in the text of an app: `headers.link`. */
export function listReadHeaders(appTexts: string): ReadonlySet<string> {
  return new Set(
    [...appTexts.matchAll(/headers\s*[.[]\s*[`'"]?([\w-]+)/gi)].map(([, name = '']) => name.toLowerCase()),
  );
}

/** Keeps headers that the text of the app names. */
export function chooseHeaders(appTexts: string): KeepsHeader {
  const read = listReadHeaders(appTexts);
  return (name) => read.has(name) || !(LEFT_OUT.has(name) || name.startsWith('access-control-'));
}

/** Whether bytes are readable UTF-8 text without control characters. */
export function isText(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) return false;
  return !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(buffer);
}
