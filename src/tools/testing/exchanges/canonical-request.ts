import { type MultipartPart, parseForm, readMultipartParts } from '../../../engine/http/body/decode-body.js';
import { findHeader, isJsonMediaType, readContentType } from '../../../engine/http/headers.js';
import type { TransportRequest } from '../../../engine/http/transport.js';
import { type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { ExpectedPart } from './exchange.js';

/** A request with those members of `ExpectedRequest` that have one representation. */
export interface CanonicalRequest {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and path as sent, without the query. */
  readonly url: string;
  /** Decoded; a list for repeated names; absent without a query. */
  readonly query?: Readonly<PlainObject>;
  /** Lower-case names, without transport headers; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most one of the following, by content type; none without a body. */
  readonly body?: unknown;
  readonly form?: Readonly<PlainObject>;
  readonly parts?: readonly ExpectedPart[];
  readonly bodyText?: string;
  readonly bodyBase64?: string;
}

/** The relevant parts of a request. */
export type SentRequest = Pick<TransportRequest, 'method' | 'url' | 'headers' | 'body'>;

/** Headers that the HTTP client adds. */
const TRAVEL_HEADERS: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'],
  'user-agent',
]);

/**
 * The canonical form of a request, shared by recorder and player: method, URL without query, query, headers, and the
 * decoded body. Multipart boundaries are removed.
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

/** URL and query; undefined without a `?`. */
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

/** Removes the boundary of a multipart content type, which differs each time. */
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

/** Undefined for bytes that are not text. */
export function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Undefined for invalid JSON, which no expectation equals. */
export function parseJsonText(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/**
 * The parts of a multipart body, described with the members of their expectation, or with all members. Undefined if
 * the body is not multipart.
 */
export function readMultipart(
  request: Pick<TransportRequest, 'headers' | 'body'>,
  expected?: readonly ExpectedPart[],
): readonly ExpectedPart[] | undefined {
  if (request.body === undefined) return undefined;
  const contentType = findHeader(request.headers, 'content-type') ?? '';
  try {
    const parts = [...readMultipartParts(request.body, contentType, (reason) => new NoMultipart(reason))];
    return parts.map((part, index) => describePart(part, expected && (expected[index] ?? NO_PART)));
  } catch (error) {
    if (error instanceof NoMultipart) return undefined;
    throw error;
  }
}

class NoMultipart extends Error {}

/** The expectation of an unexpected part. */
const NO_PART: Partial<ExpectedPart> = {};

function describePart(part: MultipartPart, expected: Partial<ExpectedPart> | undefined): ExpectedPart {
  const { disposition, contentType } = part;
  const content = Buffer.from(part.content.buffer, part.content.byteOffset, part.content.byteLength);
  const filename = disposition.get('filename');
  const isText = expected?.text !== undefined || (expected?.base64 === undefined && filename === undefined);
  return {
    name: disposition.get('name') ?? '',
    ...(isText ? { text: content.toString('utf8') } : { base64: content.toString('base64') }),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined &&
      (expected === undefined || expected.contentType !== undefined) && { contentType }),
  };
}
