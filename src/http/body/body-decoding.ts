import { AppError } from '../../errors/app-error.js';
import { assertNever } from '../../util/assert-never.js';
import { isJsonMediaType, isXmlMediaType, readContentType, responseHeader } from '../message/content-type.js';
import { decodeText } from './decode-text.js';
import { parseForm } from '../parse-form.js';
import { type ParseResult, parseJson } from './parse-json.js';
import type { ResponseType } from './response-type.js';
import type { TransportResponse } from '../message/transport.js';
import { parseXml } from './xml.js';

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
 * Source: reference/response-spec.md section 3, open-questions 21 and 22.
 */
export function decodeBody(response: TransportResponse, type: ResponseType): DecodedBody {
  const { mediaType, charset } = readContentType(responseHeader(response.headers, 'content-type'));
  const format = formatOf(type, mediaType);
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

function formatOf(type: ResponseType, mediaType: string): BodyFormat {
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

/** Source: reference/response-spec.md section 3 (automatic). [doc]; suffixes, other types and a missing one [inf] */
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
