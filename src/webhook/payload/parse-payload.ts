import { isUtf8 } from 'node:buffer';
import { WebhookError } from '../../errors/engine-error.js';
import { declaredEncoding } from '../../http/body/body-decoding.js';
import { decodeText, parseForm } from '../../http/body/decode-text.js';
import { type ParseResult, parseJson } from '../../http/body/json-text.js';
import { parseXml } from '../../http/body/xml.js';
import {
  isJsonMediaType,
  isTextMediaType,
  isXmlMediaType,
  readContentType,
} from '../../http/message/headers.js';
import { assertNever } from '../../util/plain-object.js';
import { listFields } from './form-fields.js';
import { parseMultipart } from './parse-multipart.js';
import type { WebhookLimits } from './webhook-limits.js';

/** Media types nobody reads as text. All others are text where their bytes are valid UTF-8. [choice] */
const BINARY_TYPE =
  /^(?:image|audio|video|font|model)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-(?:gzip|tar|protobuf)|protobuf|msgpack|cbor|wasm)$|\+(?:zip|gzip|cbor|protobuf)$/;

/** How a payload is read. */
type PayloadFormat = 'multipart' | 'form' | 'json' | 'xml' | 'text' | 'binary';

/**
 * The payload of a call as expressions read it: `body`.
 *
 * JSON as it is; a form as a flat collection, repeated and `[]` names giving lists; multipart the same, with
 * `{name, mime, data}` for a file; XML as in responses; text as text; bytes for binary types. A call without a payload
 * has undefined, or empty text where its type says text.
 *
 * @throws WebhookError WEBHOOK_PAYLOAD for what is not as its Content-Type says, or beyond the limits
 * @see https://help.make.com/webhooks
 */
export function parsePayload(
  body: Uint8Array,
  contentType: string | undefined,
  limits: WebhookLimits,
): unknown {
  const { mediaType, charset } = readContentType(contentType);
  if (body.byteLength === 0) return mediaType.startsWith('text/') ? emptyText(mediaType) : undefined;
  const format = chooseFormat(mediaType, charset, body);
  switch (format) {
    case 'multipart':
      return parseMultipart(body, contentType ?? '', limits.maxFields);
    case 'form':
      assertFields(body, limits.maxFields);
      return listFields(parseForm(decodeText(body, charset)));
    case 'json':
      return checkedDepth(parsed(parseJson(decodeText(body, charset)), 'JSON'), body, limits.maxDepth);
    case 'xml': {
      const text = decodeText(body, charset ?? declaredEncoding(body));
      return text.trim() === '' ? undefined : parsed(parseXml(text), 'XML');
    }
    case 'text':
      return decodeText(body, charset);
    case 'binary':
      return body;
    default:
      return assertNever(format);
  }
}

function chooseFormat(mediaType: string, charset: string | undefined, body: Uint8Array): PayloadFormat {
  if (mediaType === 'multipart/form-data') return 'multipart';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  if (isJsonMediaType(mediaType)) return 'json';
  if (isXmlMediaType(mediaType)) return 'xml';
  if (mediaType.startsWith('text/') || isTextMediaType(mediaType) || charset !== undefined) return 'text';
  return !BINARY_TYPE.test(mediaType) && isUtf8(body) ? 'text' : 'binary';
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type: an empty body is
 * text under text types only. [inf]
 */
function emptyText(mediaType: string): '' | undefined {
  return isJsonMediaType(mediaType) || isXmlMediaType(mediaType) ? undefined : '';
}

function parsed<T>(result: ParseResult<T>, format: string): T {
  if (result.ok) return result.value;
  throw new WebhookError('WEBHOOK_PAYLOAD', `The payload is not valid ${format}: ${result.message}`);
}

/** Counted before anything is read: every encoding that forms come in has `&` as the one byte. */
function assertFields(body: Uint8Array, maxFields: number): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let pairs = 1;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++pairs > maxFields) {
      throw new WebhookError('WEBHOOK_PAYLOAD', `The payload has more than ${maxFields} fields.`);
    }
  }
}

const AMPERSAND = 0x26;

const OPENINGS = [0x5b, 0x7b];

/**
 * Returns a value read from JSON if it is nested at most `maxDepth` levels deep. Few payloads have more brackets than
 * that, so the value is seldom walked; the walk goes level by level, without recursion.
 *
 * @throws WebhookError WEBHOOK_PAYLOAD
 */
function checkedDepth(value: unknown, source: Uint8Array, maxDepth: number): unknown {
  if (!hasMoreBrackets(source, maxDepth)) return value;
  let level: readonly object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) {
      throw new WebhookError('WEBHOOK_PAYLOAD', `The payload is nested deeper than ${maxDepth} levels.`);
    }
    level = level.flatMap((item) => Object.values(item).filter(isObject));
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether there are more than `count` opening brackets, and enough bytes to close them. */
function hasMoreBrackets(source: Uint8Array, count: number): boolean {
  if (source.byteLength <= 2 * count) return false;
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let found = 0;
  for (const opening of OPENINGS) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      if (++found > count) return true;
    }
  }
  return false;
}
