import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { WebhookError } from '../../shared/errors/engine-error.js';
import { assertNever, type PlainObject, setMember } from '../../shared/plain-object.js';
import { declaredEncoding } from '../http/body/body-decoding.js';
import { decodeText, parseForm } from '../http/body/decode-text.js';
import { type ParseResult, parseJson } from '../http/body/json-text.js';
import { type MultipartPart, readMultipartParts } from '../http/body/multipart-parts.js';
import { parseXml } from '../http/body/xml.js';
import { isJsonMediaType, isTextMediaType, isXmlMediaType, readContentType } from '../http/headers.js';
import { decodeComponent } from '../http/percent-encoding.js';
import type { WebhookLimits } from './incoming-call.js';

/** Binary media types. Others are text if their bytes are valid UTF-8. [choice] */
const BINARY_TYPE =
  /^(?:image|audio|video|font|model)\/|^application\/(?:octet-stream|pdf|zip|gzip|x-(?:gzip|tar|protobuf)|protobuf|msgpack|cbor|wasm)$|\+(?:zip|gzip|cbor|protobuf)$/;

/** Format of a payload. */
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

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
};

/**
 * The decompressed payload, according to `Content-Encoding`.
 *
 * @param maxBytes bytes of the decoded payload: what a small body may not grow beyond
 * @throws WebhookError WEBHOOK_ENCODING for an encoding that is not known, WEBHOOK_PAYLOAD for a body that is not
 *   encoded so, WEBHOOK_TOO_LARGE
 */
export async function decompressPayload(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || body.byteLength === 0) return body;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    throw new WebhookError('WEBHOOK_ENCODING', 'The payload has an encoding other than gzip, deflate or br.');
  }
  try {
    return await decoder(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new WebhookError('WEBHOOK_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`, { cause });
    }
    throw new WebhookError('WEBHOOK_PAYLOAD', `The payload is not encoded as ${encoding}.`, { cause });
  }
}

/**
 * The fields of a form with `name[]` written as lists: `a[]=1` is a list of one, and `a=1&a[]=2` one of two.
 * Source: https://help.make.com/webhooks. [inf]
 */
function listFields(form: PlainObject): PlainObject {
  const names = Object.keys(form);
  if (!names.some(isList)) return form;
  const fields = new Map<string, unknown>();
  for (const name of names) {
    const value = form[name];
    const plain = isList(name) ? name.slice(0, -2) : name;
    const present = fields.get(plain);
    if (present !== undefined) fields.set(plain, [present, value].flat());
    else fields.set(plain, isList(name) ? [value].flat() : value);
  }
  const result: PlainObject = {};
  for (const [name, value] of fields) setMember(result, name, value);
  return result;
}

function isList(name: string): boolean {
  return name.length > 2 && name.endsWith('[]');
}

/** A file of a multipart payload. Source: https://help.make.com/webhooks. [inf] */
interface FilePart {
  readonly name: string | undefined;
  readonly mime: string;
  readonly data: Uint8Array;
}

/**
 * Reads `multipart/form-data` into a collection of fields: text, or `{name, mime, data}` for a file. A name that
 * comes again, or ends with `[]`, gives a list.
 *
 * @param contentType the whole header, for its boundary
 * @throws WebhookError WEBHOOK_PAYLOAD for a truncated or invalid payload, and for more than `maxFields` parts
 */
export function parseMultipart(body: Uint8Array, contentType: string, maxFields: number): PlainObject {
  const fields = new Map<string, unknown[]>();
  let count = 0;
  for (const part of readMultipartParts(body, contentType, invalid)) {
    if (++count > maxFields) throw invalid(`it has more than ${maxFields} parts`);
    const escaped = part.disposition.get('name');
    if (escaped === undefined) continue;
    const name = unescapeParameter(escaped);
    const values = fields.get(name) ?? [];
    values.push(partValue(part));
    fields.set(name, values);
  }
  const form: PlainObject = {};
  for (const [name, values] of fields) setMember(form, name, values.length === 1 ? values[0] : values);
  return listFields(form);
}

function partValue({ disposition, contentType, content }: MultipartPart): string | FilePart {
  const { mediaType, charset } = readContentType(contentType);
  const filename = readFilename(disposition);
  const isText = mediaType === '' || isTextMediaType(mediaType);
  if (filename === undefined && isText) return decodeText(content, charset);
  // A copy: the file must not keep the whole payload alive.
  return { name: filename, mime: mediaType || 'application/octet-stream', data: Uint8Array.from(content) };
}

/** `filename*=UTF-8''...` (RFC 5987) wins over `filename`. Of a path only the last step is the name. */
function readFilename(disposition: ReadonlyMap<string, string>): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/is.exec(disposition.get('filename*') ?? '') ?? [];
  const plain = disposition.get('filename');
  const filename = encoded === undefined ? plain && unescapeParameter(plain) : decodeComponent(encoded);
  return filename?.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

/** Quotes are escaped by a backslash, or by `%22` as browsers do. */
function unescapeParameter(text: string): string {
  return text.replace(/\\(["\\])/g, '$1').replace(/%(?:22|0D|0A)/gi, decodeComponent);
}

function invalid(reason: string): WebhookError {
  return new WebhookError('WEBHOOK_PAYLOAD', `The payload is not valid multipart/form-data: ${reason}.`);
}
