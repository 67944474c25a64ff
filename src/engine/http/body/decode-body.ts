import { MAX_NAMES, tooManyNames } from '../../../language/values/size-limits.js';
import { describeType } from '../../../language/values/value.js';
import { createBoundedCache } from '../../../shared/bounded-cache.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import {
  assertNever,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { jsonProblem, type ParseResult } from '../../../shared/text.js';
import { RESPONSE_TYPES } from '../../document/directive-values.js';
import { isJsonMediaType, isXmlMediaType, readContentType, responseHeader } from '../headers.js';
import { decodeFormComponent } from '../http-url.js';
import type { TransportResponse } from '../transport.js';
import { findJsonExcess, MAX_VALUES, TOO_MANY_VALUES } from './json-limits.js';
import { parseXml } from './xml.js';

export type ResponseType = (typeof RESPONSE_TYPES)[number];

/**
 * Selects the response type for a status from a name, or from names by status: `*` (1 to 999), `NNN` and inclusive
 * ranges `NNN-NNN`. The narrowest range wins, then the first one. Default: automatic. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 *
 * @param spec evaluated; undefined, null and empty text mean automatic
 * @throws SpecError (SPEC_INVALID) for an unknown type
 */
export function selectResponseType(spec: unknown, status: number): ResponseType {
  if (!isPlainObject(spec)) return readResponseType(spec);
  let narrowest = Number.POSITIVE_INFINITY;
  let selected: unknown;
  for (const [key, type] of Object.entries(spec)) {
    const range = readRange(key);
    if (range === undefined || status < range.from || status > range.to) continue;
    if (range.to - range.from < narrowest) {
      narrowest = range.to - range.from;
      selected = type;
    }
  }
  return readResponseType(selected);
}

function readRange(key: string): { from: number; to: number } | undefined {
  if (key.trim() === '*') return { from: 1, to: 999 };
  const match = /^\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*$/.exec(key);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return { from: Math.min(from, to), to: Math.max(from, to) };
}

function readResponseType(type: unknown): ResponseType {
  if (type === undefined || type === null || type === '') return 'automatic';
  const found = RESPONSE_TYPES.find((name) => name === type);
  if (found !== undefined) return found;
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 80)) : describeType(type);
  const hint = typeof type === 'string' ? didYouMean(type, RESPONSE_TYPES) : '';
  throw new SpecError(
    'SPEC_INVALID',
    `The response type is ${shown}; it must be one of ${RESPONSE_TYPES.join(', ')}.${hint}`,
  );
}

/** Decoding of a body after evaluating its content type. */
type BodyFormat = 'json' | 'json-or-text' | 'urlencoded' | 'text' | 'binary' | 'xml';

type DecodedBody =
  | { readonly ok: true; readonly value: unknown }
  /** The body does not match its type: a RuntimeError with the parser's message. */
  | { readonly ok: false; readonly error: AppError };

/**
 * Decodes a response body to a value of the language: text, a flat collection for urlencoded, a `Uint8Array` for
 * binary. An empty body is `''` as text, empty bytes as binary, and undefined otherwise. Invalid JSON or XML is an
 * error below status 400; from 400 on the text itself is returned, for the `error` directive. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function decodeBody(response: TransportResponse, type: ResponseType): DecodedBody {
  const { format, charset } = chooseBodyReading(response, type);
  const { body, status } = response;
  switch (format) {
    case 'binary':
      return { ok: true, value: body };
    case 'text':
      return { ok: true, value: decodeText(body, charset) };
    case 'urlencoded': {
      const text = decodeText(body, charset);
      return parsedOr(readForm(text), () => text, 'form data', status);
    }
    case 'json-or-text': {
      const result = readJson(body, charset);
      return { ok: true, value: result.ok ? result.value : decodeText(body, charset) };
    }
    case 'json':
      return parsedOr(readJson(body, charset), () => decodeText(body, charset), 'JSON', status);
    case 'xml': {
      const text = decodeText(body, charset ?? declaredEncoding(body));
      const result: ReadResult = text.trim() === '' ? { ok: true, value: undefined } : parseXml(text);
      return parsedOr(result, () => text, 'XML', status);
    }
    default:
      return assertNever(format);
  }
}

interface BodyReading {
  readonly format: BodyFormat;
  /** As written in the header. */
  readonly charset: string | undefined;
}

/**
 * By type and header. Responses of one API repeat the same header, and parsing it costs as much as decoding a small
 * body.
 */
const BODY_READINGS = createBoundedCache<BodyReading>(64);
const MAX_CACHED_LENGTH = 200;

function chooseBodyReading({ headers }: TransportResponse, type: ResponseType): BodyReading {
  const header = ownMember(headers, 'content-type');
  const key = `${type} ${header}`;
  const known = BODY_READINGS.get(key);
  if (known !== undefined) return known;
  const { mediaType, charset } = readContentType(responseHeader(headers, 'content-type'));
  const reading = { format: chooseFormat(type, mediaType), charset };
  if (key.length <= MAX_CACHED_LENGTH) BODY_READINGS.set(key, reading);
  return reading;
}

function chooseFormat(type: ResponseType, mediaType: string): BodyFormat {
  switch (type) {
    case 'automatic':
      return formatOfMediaType(mediaType);
    case 'text':
    case 'raw':
    case 'string':
      return 'text';
    default:
      return type;
  }
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc];
 * suffixes, other types and a missing type [inf]
 */
function formatOfMediaType(mediaType: string): BodyFormat {
  if (mediaType === '') return 'json-or-text';
  if (isJsonMediaType(mediaType)) return 'json';
  if (isXmlMediaType(mediaType)) return 'xml';
  if (mediaType === 'application/x-www-form-urlencoded') return 'urlencoded';
  return mediaType.startsWith('text/') ? 'text' : 'binary';
}

/** A body that exceeds a limit is refused before it is parsed. */
type ReadResult = ParseResult | { readonly ok: false; readonly message: string; readonly isTooLarge: true };

function readJson(body: Uint8Array, charset: string | undefined): ReadResult {
  const excess = findBodyExcess(body, charset);
  if (excess !== undefined) return { ok: false, message: excess, isTooLarge: true };
  return parseJson(decodeText(body, charset));
}

/** Returns which limit of JSON a body exceeds. Decodes it only if it is not UTF-8. */
export function findBodyExcess(body: Uint8Array, charset: string | undefined): string | undefined {
  return findJsonExcess(isUtf8(body, charset) ? body : Buffer.from(decodeText(body, charset)));
}

function isUtf8([first, second]: Uint8Array, charset: string | undefined): boolean {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && (charset === undefined || UTF8.test(charset));
}

function readForm(text: string): ReadResult {
  if (text === '') return { ok: true, value: undefined };
  if (text.length > MAX_VALUES && text.split('&', MAX_VALUES + 1).length > MAX_VALUES) {
    return { ok: false, message: TOO_MANY_VALUES, isTooLarge: true };
  }
  const form = parseForm(text);
  if (Object.keys(form).length <= MAX_NAMES) return { ok: true, value: form };
  return { ok: false, message: tooManyNames(), isTooLarge: true };
}

function parsedOr(result: ReadResult, decode: () => string, format: string, status: number): DecodedBody {
  if (result.ok) return result;
  if (status >= 400) return { ok: true, value: decode() };
  const message =
    'isTooLarge' in result
      ? `The response has ${result.message}.`
      : `The response is not valid ${format}: ${result.message}`;
  return { ok: false, error: new AppError('RuntimeError', message, { statusCode: status }) };
}

/** Returns the encoding named in an XML declaration, for responses without a charset in the header. */
export function declaredEncoding(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 200)).toString('latin1');
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
}

const UTF8 = /^utf-?8$/i;

/**
 * Decodes bytes to text. A byte order mark takes precedence over `charset` and is removed. An unknown or absent
 * charset means UTF-8. Invalid bytes become U+FFFD.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8Text(bytes.subarray(3));
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', bytes);
  if (charset === undefined || UTF8.test(charset)) return utf8Text(bytes);
  return decodeAs(charset, bytes);
}

/** Decodes UTF-8; malformed bytes become U+FFFD. Several times faster than TextDecoder for short bodies. */
export function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function decodeAs(charset: string, bytes: Uint8Array): string {
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'windows-1252' ? windows1252(bytes) : decoder.decode(bytes);
  } catch {
    return utf8Text(bytes);
  }
}

/** Characters 0x80 to 0x9f. The five undefined bytes map to the control codes of the same number. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Decodes Windows-1252, also used for the labels latin1 and iso-8859-1. Node.js 20 and 22 decode it as ISO 8859-1. */
function windows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character);
}

/**
 * Parses `application/x-www-form-urlencoded` text to a flat collection. Repeated keys become a list. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function parseForm(text: string): PlainObject {
  const form: PlainObject = {};
  for (const pair of text.split('&')) if (pair !== '') addField(form, readPair(pair));
  return form;
}

type Field = readonly [name: string, value: string];

function readPair(pair: string): Field {
  const at = pair.indexOf('=');
  const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
  return [name, at === -1 ? '' : decodeFormComponent(pair.slice(at + 1))];
}

function addField(form: PlainObject, [name, value]: Field): void {
  const present = ownMember(form, name);
  if (Array.isArray(present)) present.push(value);
  else setMember(form, name, present === undefined ? value : [present, value]);
}

/** Number of bytes that are searched for the encoding of a body. */
const LOOKED_AT = 512;

/**
 * Decodes bytes that may end inside of a character: by their byte order mark, as UTF-16 if every second byte is zero,
 * by `charset`, or as UTF-8. Returns undefined for binary data, because a wrong character could hide a name or a
 * secret from a search.
 */
export function readShownText(bytes: Uint8Array, charset: string | undefined): string | undefined {
  const decoder = openDecoder(wideEncoding(bytes) ?? charset) ?? openDecoder('utf-8');
  try {
    // Decodes as a stream, so that an incomplete character at the end is dropped.
    const text = decoder?.decode(bytes, { stream: true });
    return text?.includes('\0') === true ? undefined : text;
  } catch {
    return undefined;
  }
}

function openDecoder(charset: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return undefined;
  }
}

/** UTF-16 with or without a byte order mark, regardless of the declared charset. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, LOOKED_AT);
  const countZeros = (rest: 0 | 1): number =>
    start.filter((byte, index) => byte === 0 && index % 2 === rest).length;
  const [even, odd] = [countZeros(0), countZeros(1)];
  const many = start.length / 8;
  if (odd > many && even === 0) return 'utf-16le';
  return even > many && odd === 0 ? 'utf-16be' : undefined;
}

const EXCERPT_LENGTH = 40;

/** Parses JSON text. Whitespace alone parses to undefined. */
export function parseJson(text: string): ParseResult {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { ok: true, value: undefined };
    const reason = error instanceof SyntaxError ? jsonProblem(error) : 'the text is too large';
    return { ok: false, message: `${reason}${excerpt(text)}` };
  }
}

/**
 * Returns the start of a text that is not meant to be JSON, such as an HTML page. Text that starts like JSON is
 * omitted, as it may contain tokens; so are long runs without a space.
 */
function excerpt(text: string): string {
  const start = text.slice(0, EXCERPT_LENGTH * 4).trimStart();
  if (start === '' || /^["[{]/.test(start)) return '';
  const shown = start
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[\w+/=.~-]{12,}/g, '…')
    .slice(0, EXCERPT_LENGTH);
  return ` (the body starts with ${JSON.stringify(shown)})`;
}
/** A part of a `multipart/...` body. */
export interface MultipartPart {
  /** Parameters of `Content-Disposition` by lower-case name (`name`, `filename`, `filename*`), with escapes as sent. */
  readonly disposition: ReadonlyMap<string, string>;
  readonly contentType: string | undefined;
  /** A view into the body. */
  readonly content: Uint8Array;
}

/** Creates the error for an invalid body. `reason` is a clause: "it breaks off". */
export type RefuseMultipart = (reason: string) => Error;

/** Largest size of a part's headers in bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
/** RFC 2046 allows 70; tolerates senders that exceed it. */
const MAX_BOUNDARY_LENGTH = 200;
const HEAD_END = '\r\n\r\n';

/**
 * Yields the parts of a body lazily.
 *
 * @param contentType the whole header, for its boundary
 * @param refuse creates the error thrown for an invalid or truncated body
 */
export function* readMultipartParts(
  body: Uint8Array,
  contentType: string,
  refuse: RefuseMultipart,
): Generator<MultipartPart> {
  const boundary = readBoundary(contentType);
  if (boundary === undefined) throw refuse('its Content-Type has no valid boundary');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const piece of splitParts(bytes, boundary, refuse)) yield readPart(piece, refuse);
}

function readBoundary(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary !== undefined && boundary.length <= MAX_BOUNDARY_LENGTH ? boundary : undefined;
}

/**
 * Yields the bytes between delimiters.
 *
 *     body = [ text CRLF ] "--" boundary { CRLF part CRLF "--" boundary } "--" [ text ] ;
 */
function* splitParts(bytes: Buffer, boundary: string, refuse: RefuseMultipart): Generator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const opening = delimiter.subarray(2);
  // The first delimiter is at the start, or on its own line after a preamble.
  const startsAtOnce = bytes.subarray(0, opening.length).equals(opening);
  const firstAt = startsAtOnce ? 0 : bytes.indexOf(delimiter);
  if (firstAt === -1) throw refuse('its boundary does not occur');
  let at = startsAtOnce ? opening.length : firstAt + delimiter.length;
  for (;;) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return;
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    const next = lineEnd === -1 ? -1 : bytes.indexOf(delimiter, lineEnd);
    if (next === -1) throw refuse('it breaks off');
    yield bytes.subarray(lineEnd + 2, next);
    at = next + delimiter.length;
  }
}

function readPart(piece: Buffer, refuse: RefuseMultipart): MultipartPart {
  const headEnd = piece.indexOf(HEAD_END, 0, 'latin1');
  // A part without headers starts with the empty line.
  const isBare = piece[0] === 0x0d && piece[1] === 0x0a;
  if (!isBare && headEnd === -1) throw refuse('the headers of a part do not end');
  if (!isBare && headEnd > MAX_HEAD_BYTES) throw refuse('the headers of a part are too long');
  const head = isBare ? '' : piece.toString('utf8', 0, headEnd);
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return {
    disposition: readParameters(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type'),
    content: piece.subarray(isBare ? 2 : headEnd + HEAD_END.length),
  };
}

const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g;

/** Parses `form-data; name="a"; filename="b.txt"`. */
function readParameters(disposition: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return parameters;
}
