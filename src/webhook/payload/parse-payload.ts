import { WebhookError } from '../../errors/webhook-error.js';
import { declaredEncoding } from '../../http/body/body-decoding.js';
import { decodeText } from '../../http/body/decode-text.js';
import { parseForm } from '../../http/body/parse-form.js';
import { type ParseResult, parseJson } from '../../http/body/parse-json.js';
import { parseXml } from '../../http/body/xml.js';
import {
  isJsonMediaType,
  isTextMediaType,
  isXmlMediaType,
  readContentType,
} from '../../http/message/content-type.js';
import { listFields } from './form-fields.js';
import { isDeeper } from './nesting.js';
import { parseMultipart } from './parse-multipart.js';
import type { WebhookLimits } from './webhook-limits.js';

/** Media types nobody reads as text. All others are text where their bytes are valid UTF-8. [choice] */
const BINARY_TYPE =
  /^(?:image|audio|video|font|model)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-(?:gzip|tar|protobuf)|protobuf|msgpack|cbor|wasm)$|\+(?:zip|gzip|cbor|protobuf)$/;

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
  if (mediaType === 'multipart/form-data') return parseMultipart(body, contentType ?? '', limits.maxFields);
  if (mediaType === 'application/x-www-form-urlencoded') {
    return parseFields(decodeText(body, charset), limits.maxFields);
  }
  if (isJsonMediaType(mediaType)) {
    const value = parsed(parseJson(decodeText(body, charset)), 'JSON');
    if (isDeeper(value, body, limits.maxDepth)) {
      throw new WebhookError(
        'WEBHOOK_PAYLOAD',
        `The payload is nested deeper than ${limits.maxDepth} levels.`,
      );
    }
    return value;
  }
  if (isXmlMediaType(mediaType)) {
    const text = decodeText(body, charset ?? declaredEncoding(body));
    return text.trim() === '' ? undefined : parsed(parseXml(text), 'XML');
  }
  return isText(body, mediaType, charset) ? decodeText(body, charset) : body;
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type: an empty body is
 * text under text types only. [inf]
 */
function emptyText(mediaType: string): '' | undefined {
  return isJsonMediaType(mediaType) || isXmlMediaType(mediaType) ? undefined : '';
}

function parsed(result: ParseResult, format: string): unknown {
  if (result.ok) return result.value;
  throw new WebhookError('WEBHOOK_PAYLOAD', `The payload is not valid ${format}: ${result.message}`);
}

function parseFields(text: string, maxFields: number): unknown {
  let pairs = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) pairs++;
  if (pairs > maxFields) {
    throw new WebhookError('WEBHOOK_PAYLOAD', `The payload has more than ${maxFields} fields.`);
  }
  return listFields(parseForm(text));
}

function isText(body: Uint8Array, mediaType: string, charset: string | undefined): boolean {
  if (mediaType.startsWith('text/') || isTextMediaType(mediaType) || charset !== undefined) return true;
  return !BINARY_TYPE.test(mediaType) && isUtf8(body);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function isUtf8(body: Uint8Array): boolean {
  try {
    UTF8.decode(body);
    return true;
  } catch {
    return false;
  }
}
