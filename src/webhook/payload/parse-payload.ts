import { isUtf8 } from 'node:buffer';
import { WebhookError } from '../../errors/webhook-error.js';
import { declaredEncoding } from '../../http/body/body-decoding.js';
import { decodeText } from '../../http/body/decode-text.js';
import { parseJsonInTurns } from '../../http/body/json-in-turns.js';
import { parseForm, parseFormPieces } from '../../http/body/parse-form.js';
import { type ParseResult, parseJson } from '../../http/body/parse-json.js';
import {
  decodeTextInTurns,
  MAX_BYTES_AT_ONCE,
  MAX_READ_AT_ONCE,
  readTextInTurns,
  readUtf8InTurns,
} from '../../http/body/text-in-turns.js';
import { parseXml, parseXmlPieces } from '../../http/body/xml.js';
import {
  isJsonMediaType,
  isTextMediaType,
  isXmlMediaType,
  readContentType,
} from '../../http/message/content-type.js';
import { assertNever } from '../../util/assert-never.js';
import type { Turns } from '../../util/turns.js';
import { listFields } from './form-fields.js';
import { checkedDepth, checkedDepthInTurns } from './nesting.js';
import { parseMultipart, parseMultipartInTurns } from './parse-multipart.js';
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
 * @param turns of which a large payload takes many, so that others do not wait for it
 * @throws WebhookError WEBHOOK_PAYLOAD for what is not as its Content-Type says, or beyond the limits
 * @see https://help.make.com/webhooks
 */
export function parsePayload(
  body: Uint8Array,
  contentType: string | undefined,
  limits: WebhookLimits,
  turns: Turns,
): unknown {
  const { mediaType, charset } = readContentType(contentType);
  if (body.byteLength === 0) return mediaType.startsWith('text/') ? emptyText(mediaType) : undefined;
  const format = chooseFormat(mediaType, charset, body);
  if (isLargePayload(body, format)) return parseLargePayload(body, format, contentType, limits, turns);
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

/** Whether others would have to wait for it too long. */
function isLargePayload({ byteLength }: Uint8Array, format: PayloadFormat): boolean {
  const isReadHere = format === 'xml' || format === 'form' || format === 'multipart';
  return byteLength > (isReadHere ? MAX_READ_AT_ONCE : MAX_BYTES_AT_ONCE);
}

async function parseLargePayload(
  body: Uint8Array,
  format: PayloadFormat,
  contentType: string | undefined,
  limits: WebhookLimits,
  turns: Turns,
): Promise<unknown> {
  const { charset } = readContentType(contentType);
  // What came before may have taken as long as others may wait.
  await turns.next();
  switch (format) {
    case 'multipart':
      return parseMultipartInTurns(body, contentType ?? '', limits.maxFields, turns);
    case 'form':
      assertFields(body, limits.maxFields);
      return listFields(
        parsed(await parseFormPieces(decodeTextInTurns(body, charset, turns), turns), 'form data'),
      );
    case 'json': {
      const result = await parseJsonInTurns(await readUtf8InTurns(body, charset, turns), turns);
      return checkedDepthInTurns(parsed(result, 'JSON'), body, limits.maxDepth, turns);
    }
    case 'xml': {
      const pieces = decodeTextInTurns(body, charset ?? declaredEncoding(body), turns);
      return parsed(await parseXmlPieces(pieces), 'XML');
    }
    case 'text':
      return readTextInTurns(body, charset, turns);
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
