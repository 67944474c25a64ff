import { parseForm } from '../../http/body/decode-text.js';
import { findHeader, isJsonMediaType, readContentType } from '../../http/message/headers.js';
import type { TransportRequest } from '../../http/message/transport.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { ExpectedPart } from './exchange.js';
import { readMultipart } from './read-multipart.js';

/** A request in the words of the files: the members of `ExpectedRequest` that have one meaning only. */
export interface CanonicalRequest {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and path as sent; the query stands in `query`. */
  readonly url: string;
  /** Decoded; a repeated name as a list; absent where the address has none. */
  readonly query?: Readonly<PlainObject>;
  /** Lower-case names, without those that only say how the message travels; a repeated name is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most one of the following, by the content type; none for a request without a body. */
  readonly body?: unknown;
  readonly form?: Readonly<PlainObject>;
  readonly parts?: readonly ExpectedPart[];
  readonly bodyText?: string;
  readonly bodyBase64?: string;
}

/** What makes a request, however it is sent. */
export type SentRequest = Pick<TransportRequest, 'method' | 'url' | 'headers' | 'body'>;

/** Headers that the sender's library decides, not the app. */
const TRAVEL_HEADERS: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'],
  'user-agent',
]);

/**
 * What makes two requests the same, for whoever records and whoever plays: method, address without its query, query,
 * headers, and the body as what it stands for. Boundaries of multipart bodies are left out.
 */
export function canonicalRequest(request: SentRequest): CanonicalRequest {
  const [url, query] = splitAddress(request.url);
  return {
    method: request.method,
    url,
    ...(query !== undefined && { query: parseForm(query) }),
    headers: canonicalHeaders(request),
    ...canonicalBody(request),
  };
}

/** An address and its query; undefined where there is no `?`. */
export function splitAddress(address: string): readonly [url: string, query: string | undefined] {
  const at = address.indexOf('?');
  return at < 0 ? [address, undefined] : [address.slice(0, at), address.slice(at + 1)];
}

function canonicalHeaders(request: SentRequest): Record<string, string> {
  const headers: PlainObject = {};
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (TRAVEL_HEADERS.has(lower)) continue;
    const plain = lower === 'content-type' ? withoutBoundary(value) : value;
    const before = Object.hasOwn(headers, lower) ? `${headers[lower]}, ` : '';
    setMember(headers, lower, before + plain);
  }
  return headers as Record<string, string>;
}

/** A content type without the boundary of a multipart body, which is another one each time. */
export function withoutBoundary(contentType: string): string {
  return contentType.replace(/;\s*boundary=("[^"]*"|[^;]*)/i, '');
}

type CanonicalBody = Pick<CanonicalRequest, 'body' | 'form' | 'parts' | 'bodyText' | 'bodyBase64'>;

function canonicalBody(request: SentRequest): CanonicalBody {
  const { body } = request;
  if (body === undefined || body.byteLength === 0) return {};
  const { mediaType } = readContentType(findHeader(request.headers, 'content-type'));
  const parts = mediaType.startsWith('multipart/') ? readMultipart(request) : undefined;
  if (parts !== undefined) return { parts };
  const text = readText(body);
  if (text === undefined) return { bodyBase64: Buffer.from(body).toString('base64') };
  if (mediaType === 'application/x-www-form-urlencoded') return { form: parseForm(text) };
  if (isJsonMediaType(mediaType)) {
    const value = parseJsonText(text);
    if (value !== undefined) return { body: value };
  }
  return { bodyText: text };
}

/** Undefined for bytes that are no text. */
export function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for what is no JSON: no expectation is. */
export function parseJsonText(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
