import { AppError } from '../../errors/app-error.js';
import { assertNever } from '../../util/assert-never.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { ownMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import { isJsonMediaType, isXmlMediaType, readContentType, responseHeader } from '../message/content-type.js';
import type { TransportResponse } from '../message/transport.js';
import { decodeText } from './decode-text.js';
import { parseJsonInTurns } from './json-in-turns.js';
import { parseForm, parseFormPieces } from './parse-form.js';
import { type ParseResult, parseJson } from './parse-json.js';
import type { ResponseType } from './select-response-type.js';
import {
  decodeTextInTurns,
  MAX_BYTES_AT_ONCE,
  MAX_READ_AT_ONCE,
  readTextInTurns,
  readUtf8InTurns,
} from './text-in-turns.js';
import { parseXml, parseXmlPieces } from './xml.js';

/** How a body is read once the content type has been looked at. */
type BodyFormat = 'json' | 'json-or-text' | 'urlencoded' | 'text' | 'binary' | 'xml';

export type DecodedBody =
  | { readonly ok: true; readonly value: unknown }
  /** The body is not what its type says; a RuntimeError with the parser's message. */
  | { readonly ok: false; readonly error: AppError };

/**
 * The body of a response as a value of the language: text, a flat collection for urlencoded, bytes as a `Uint8Array`.
 * An empty body is not parsed: text `''`, binary no bytes, all others undefined.
 * JSON or XML that does not parse is an error below status 400, and from 400 on the text itself, so that the
 * app's `error` directive can still look at it.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function decodeBody(response: TransportResponse, type: ResponseType): DecodedBody {
  const { format, charset } = chooseReading(response, type);
  if (format === 'binary') return { ok: true, value: response.body };
  const text = decodeText(
    response.body,
    charset ?? (format === 'xml' ? declaredEncoding(response.body) : undefined),
  );
  switch (format) {
    case 'text':
      return { ok: true, value: text };
    case 'urlencoded':
      return { ok: true, value: text === '' ? undefined : parseForm(text) };
    case 'json-or-text':
      return { ok: true, value: jsonOrText(text) };
    case 'json':
      return parsedOr(parseJson(text), text, 'JSON', response.status);
    case 'xml':
      return parsedOr(
        text.trim() === '' ? { ok: true, value: undefined } : parseXml(text),
        text,
        'XML',
        response.status,
      );
    default:
      return assertNever(format);
  }
}

/** Whether a body takes others too long where it is not read in turns. */
export function isLargeBody(response: TransportResponse, type: ResponseType): boolean {
  const { byteLength } = response.body;
  if (byteLength <= MAX_READ_AT_ONCE) return false;
  if (byteLength > MAX_BYTES_AT_ONCE) return true;
  const { format } = chooseReading(response, type);
  return format === 'xml' || format === 'urlencoded';
}

/** `decodeBody` for a large body: in turns, as others would have to wait for it. */
export async function decodeLargeBody(
  response: TransportResponse,
  type: ResponseType,
  turns: Turns,
): Promise<DecodedBody> {
  const { body, status } = response;
  const { format, charset: named } = chooseReading(response, type);
  if (format === 'binary') return { ok: true, value: body };
  const charset = named ?? (format === 'xml' ? declaredEncoding(body) : undefined);
  const pieces = (): AsyncIterable<string> => decodeTextInTurns(body, charset, turns);
  const text = (): Promise<string> => readTextInTurns(body, charset, turns);
  switch (format) {
    case 'text':
      return { ok: true, value: await text() };
    case 'urlencoded':
      return parsedOrText(await parseFormPieces(pieces(), turns), text, 'form data', status);
    case 'json-or-text':
    case 'json': {
      const result = await readLargeJson(body, charset, turns);
      if (result.ok || format === 'json') return parsedOrText(result, text, 'JSON', status);
      return { ok: true, value: await text() };
    }
    case 'xml':
      return parsedOrText(await parseXmlPieces(pieces()), text, 'XML', status);
    default:
      return assertNever(format);
  }
}

async function parsedOrText(
  result: ParseResult,
  text: () => Promise<string>,
  format: string,
  status: number,
): Promise<DecodedBody> {
  return parsedOr(result, result.ok || status < 400 ? '' : await text(), format, status);
}

async function readLargeJson(
  body: Uint8Array,
  charset: string | undefined,
  turns: Turns,
): Promise<ParseResult> {
  return parseJsonInTurns(await readUtf8InTurns(body, charset, turns), turns);
}

interface Reading {
  readonly format: BodyFormat;
  /** As the header names it. */
  readonly charset: string | undefined;
}

/** By type and header: the answers of a service have the same one, and taking it apart costs as much as a small body. */
const READINGS = createBoundedCache<Reading>(64);
const MAX_CACHED_LENGTH = 200;

function chooseReading({ headers }: TransportResponse, type: ResponseType): Reading {
  const header = ownMember(headers, 'content-type');
  const key = `${type} ${header}`;
  const known = READINGS.get(key);
  if (known !== undefined) return known;
  const { mediaType, charset } = readContentType(responseHeader(headers, 'content-type'));
  const reading = { format: chooseFormat(type, mediaType), charset };
  if (key.length <= MAX_CACHED_LENGTH) READINGS.set(key, reading);
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
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc]; suffixes,
 * other types and a missing one [inf]
 */
function formatOfMediaType(mediaType: string): BodyFormat {
  if (mediaType === '') return 'json-or-text';
  if (isJsonMediaType(mediaType)) return 'json';
  if (isXmlMediaType(mediaType)) return 'xml';
  if (mediaType === 'application/x-www-form-urlencoded') return 'urlencoded';
  return mediaType.startsWith('text/') ? 'text' : 'binary';
}

function jsonOrText(text: string): unknown {
  const result = parseJson(text);
  return result.ok ? result.value : text;
}

function parsedOr(result: ParseResult, text: string, format: string, status: number): DecodedBody {
  if (result.ok) return result;
  if (status >= 400) return { ok: true, value: text };
  const message = `The response is not valid ${format}: ${result.message}`;
  return { ok: false, error: new AppError('RuntimeError', message, { statusCode: status }) };
}

/** The encoding an XML declaration names, for servers that leave it out of the header. */
export function declaredEncoding(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 200)).toString('latin1');
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
}
