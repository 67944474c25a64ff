import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import {
  ANY_TEXT,
  checkMembers,
  type OptionShape,
  type OptionShapes,
  objectWithFunctions,
  resolveBounds,
} from '../../shared/errors/check-options.js';
import { EngineError, isEngineError, WebhookError } from '../../shared/errors/engine-error.js';
import { assertNever, isObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import type { ParseResult } from '../../shared/text.js';
import {
  declaredEncoding,
  decodeText,
  type MultipartPart,
  parseForm,
  parseJson,
  readMultipartParts,
} from '../http/body/decode-body.js';
import { parseXml } from '../http/body/xml.js';
import { isJsonMediaType, isTextMediaType, isXmlMediaType, readContentType } from '../http/headers.js';
import { decodeComponent } from '../http/http-url.js';
import type { HeaderEntry } from '../http/transport.js';

/** A webhook call as received, with everything needed to process it now or later. */
export interface IncomingCall {
  /** Upper case. */
  readonly method: string;
  /** Absolute or only a path; its query counts. */
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  /** As received, before any decoding. */
  readonly body: Uint8Array;
}

/** The query of a call without `?`. */
export function readCallQuery(url: string): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  const fragment = url.indexOf('#', mark);
  return url.slice(mark + 1, fragment === -1 ? undefined : fragment);
}

export interface ReadCall {
  /** Without a body if it could not be read. */
  readonly call: IncomingCall;
  readonly error?: WebhookError;
}

const EMPTY = new Uint8Array();

/**
 * Reads a request whole, up to a ceiling: one that is larger is not read to its end.
 *
 * @param maxBytes bytes of the body, as received
 * @throws EngineError (USAGE) for a request whose body somebody else has read
 */
export function readCall(request: Request | IncomingCall, maxBytes: number): ReadCall | Promise<ReadCall> {
  return isRequest(request) ? readRequest(request, maxBytes) : checkCall(request, maxBytes);
}

async function readRequest(request: Request, maxBytes: number): Promise<ReadCall> {
  if (request.bodyUsed) throw new EngineError('USAGE', 'The body of the request has been read before.');
  const head = { method: request.method.toUpperCase(), url: request.url, headers: [...request.headers] };
  try {
    return { call: { ...head, body: await readCallBody(request, maxBytes) } };
  } catch (error) {
    return { call: { ...head, body: EMPTY }, error: asWebhookError(error) };
  }
}

/** A web request, also one of another copy of Fetch or another realm. */
function isRequest(request: Request | IncomingCall): request is Request {
  return request instanceof Request || REQUEST.fits(request);
}

const CALL = 'The call of a webhook';
const REQUEST: OptionShape = objectWithFunctions(['arrayBuffer', 'clone']);

const CALL_SHAPES: OptionShapes<IncomingCall> = {
  method: ANY_TEXT,
  url: ANY_TEXT,
  headers: {
    expected: 'a list of pairs of texts',
    fits: (value) =>
      Array.isArray(value) &&
      value.every(
        (entry) => Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string',
      ),
  },
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
};

/** @throws EngineError (USAGE) if the input is neither a web request nor a stored call */
function checkCall(call: IncomingCall, maxBytes: number): ReadCall {
  checkMembers(call, CALL_SHAPES, CALL, true);
  const missing = Object.keys(CALL_SHAPES).find((name) => Reflect.get(call, name) === undefined);
  if (missing !== undefined) throw new EngineError('USAGE', `${CALL}: "${missing}" is missing.`);
  if (call.body.byteLength <= maxBytes) return { call };
  return { call: { ...call, body: EMPTY }, error: tooLarge(maxBytes) };
}

/**
 * Reads the bytes of a request. A single chunk is returned without a copy.
 *
 * @throws WebhookError (WEBHOOK_TOO_LARGE); errors of the stream
 */
export async function readCallBody(
  request: Request,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  // A declared length can refuse a call, but is not trusted.
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return EMPTY;
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks, length);
}

function tooLarge(maxBytes: number): WebhookError {
  return new WebhookError('WEBHOOK_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`);
}

function asWebhookError(error: unknown): WebhookError {
  if (isEngineError(error, WebhookError)) return error;
  return new WebhookError('WEBHOOK_PAYLOAD', 'The payload did not arrive whole.', { cause: error });
}

/** Limits of one webhook call. */
export interface WebhookLimits {
  /** Bytes of the payload, as received and decoded. Default 5 MB. */
  readonly maxBodyBytes: number;
  /** Items `iterate` may find. Default 100000. */
  readonly maxItems: number;
  /** Bytes of all bundles of a call, about the length of their JSON. Default 20 MB. */
  readonly maxBundleBytes: number;
  /** Fields of a form, or parts of a multipart payload. Default 10000. */
  readonly maxFields: number;
  /** Maximum nesting of lists and collections. Default 1000. */
  readonly maxDepth: number;
}

/** 5 MB as reported by users of the platform. [app] The rest: [choice] */
const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = Object.freeze({
  maxBodyBytes: 5 * 1024 * 1024,
  maxItems: 100_000,
  maxBundleBytes: 20 * 1024 * 1024,
  maxFields: 10_000,
  maxDepth: 1_000,
});

/**
 * Applies limits to the defaults.
 *
 * @throws EngineError (USAGE) for an unknown name, and for a value that is not a whole number of at least 0
 */
export function resolveWebhookLimits(given: Partial<WebhookLimits> = {}): WebhookLimits {
  return resolveBounds(DEFAULT_WEBHOOK_LIMITS, given);
}

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

/** Counted before parsing: all supported encodings of forms represent `&` by one byte. */
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
 * @param maxBytes maximum size of the decoded payload
 * @throws WebhookError WEBHOOK_ENCODING for an unknown encoding, WEBHOOK_PAYLOAD for a body that cannot be decoded,
 *   WEBHOOK_TOO_LARGE
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
function parseMultipart(body: Uint8Array, contentType: string, maxFields: number): PlainObject {
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
