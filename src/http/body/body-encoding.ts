import { REQUEST_TYPES } from '../../document/shapes/directive-values.js';
import { describeType } from '../../iml/values/value-kind.js';
import { assertNever, isPlainObject, ownMember } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
import { atMember, fieldText } from '../message/headers.js';
import { requestInvalid } from '../message/http-url.js';
import { encodeFormComponent } from '../message/percent-encoding.js';
import { bytesToBase64, jsonBytes } from './json-text.js';

/** A body as it is sent. */
export interface EncodedBody {
  /** Undefined: no body is sent. */
  readonly body: Uint8Array | undefined;
  /** The `Content-Type` that fits, where the type has one and there is a body. */
  readonly contentType: string | undefined;
}

export type RequestType = (typeof REQUEST_TYPES)[number];

const NO_BODY: EncodedBody = { body: undefined, contentType: undefined };

/**
 * An evaluated `type` as one of the request types. Undefined, null and empty text are `json`.
 * @throws REQUEST_INVALID for any other value
 */
export function readRequestType(type: unknown): RequestType {
  if (type === undefined || type === null || type === '') return 'json';
  const found = REQUEST_TYPES.find((name) => name === type);
  if (found !== undefined) return found;
  const shown = typeof type === 'string' ? JSON.stringify(type.slice(0, 80)) : describeType(type);
  const hint = typeof type === 'string' ? didYouMean(type, REQUEST_TYPES) : '';
  throw requestInvalid(`The request type is ${shown}; it must be one of ${REQUEST_TYPES.join(', ')}.${hint}`);
}

/**
 * An evaluated body as bytes. An undefined body is none; null
 * is JSON's `null` and no body for all other types. Whether a method sends a body at all is the caller's to decide (GET does not).
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @param random gives numbers from 0 to 1 for the boundary of a multipart body
 * @throws REQUEST_INVALID for a value the type cannot hold
 */
export function encodeBody(type: RequestType, value: unknown, random: () => number): EncodedBody {
  if (value === undefined || (value === null && type !== 'json')) return NO_BODY;
  switch (type) {
    case 'json':
      return ofBytes(jsonBytes(value), JSON_TYPE);
    case 'urlencoded':
      return ofBytes(encodeForm(value), 'application/x-www-form-urlencoded');
    case 'multipart/form-data':
      return encodeMultipart(value, random);
    case 'text':
    case 'string':
    case 'raw':
      return ofBytes(plainBytes(value));
    case 'binary':
      return ofBytes(value instanceof Uint8Array ? value : writeText(binaryText(value)));
    default:
      return assertNever(type);
  }
}

const JSON_TYPE = 'application/json';

function ofBytes(body: Uint8Array | undefined, contentType?: string): EncodedBody {
  return body === undefined ? NO_BODY : { body, contentType };
}

/** Lists and collections become JSON text. [inf] */
function plainBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
  return isNested ? jsonBytes(value) : writeText(fieldText(value, () => 'The body'));
}

function writeText(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

function binaryText(value: unknown): string | undefined {
  if (typeof value === 'object') {
    throw requestInvalid('A body of type binary must be binary data or text.');
  }
  return fieldText(value, () => 'The body');
}

/** Deeper than any service nests form fields. */
const MAX_DEPTH = 20;

/**
 * A value as `application/x-www-form-urlencoded`. Text is taken as already encoded.
 * Undefined and null are left out, a list repeats its key [inf]. Nested collections are written in brackets,
 * `a[b]=1` and `a[0][b]=1`, as the HTTP client did whose options the platform took over [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for what is neither text nor a collection, and for nesting deeper than 20 levels
 */
export function encodeForm(value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (!isPlainObject(value)) {
    throw requestInvalid(
      'A body of type urlencoded must be a collection of fields, or text already encoded.',
    );
  }
  const fields: string[] = [];
  for (const name of Object.keys(value)) atMember(name, () => addField(fields, name, value[name], 0));
  // Encoded text is ASCII.
  return Buffer.from(fields.join('&'), 'latin1');
}

function addField(fields: string[], name: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const isNested = Array.isArray(item) || isPlainObject(item);
      addField(fields, isNested ? `${name}[${index}]` : name, item, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) addField(fields, `${name}[${key}]`, value[key], depth + 1);
  } else {
    const text =
      value instanceof Uint8Array
        ? bytesToBase64(value)
        : fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
    if (text !== undefined) fields.push(`${encodeFormComponent(name)}=${encodeFormComponent(text)}`);
  }
}

interface Part {
  readonly head: string;
  readonly content: Uint8Array;
}

interface FileOptions {
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
}

const BOUNDARY_DIGITS = 24;
const MAX_BOUNDARY_ATTEMPTS = 100;
const NO_OPTIONS: FileOptions = { filename: undefined, contentType: undefined };

/**
 * A collection as `multipart/form-data`: one part a key, several for a list, none for undefined and null.
 * A file is `{ value, options: { filename, contentType } }` [app]; binary data alone is a part of type
 * `application/octet-stream`; other values are text parts, nested ones as JSON text [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. Form: RFC 7578; names are
 * escaped as browsers do (HTML, "multipart form data").
 *
 * @param random gives numbers from 0 to 1
 * @throws REQUEST_INVALID for a body that is no collection, and for a content type that is no header value
 */
export function encodeMultipart(value: unknown, random: () => number): EncodedBody {
  if (!isPlainObject(value)) {
    throw requestInvalid('A body of type multipart/form-data must be a collection of fields.');
  }
  const parts: Part[] = [];
  for (const name of Object.keys(value)) {
    const member = value[name];
    const items: readonly unknown[] = Array.isArray(member) ? member : [member];
    for (const item of items) {
      const part = atMember(name, () => toPart(name, item));
      if (part !== undefined) parts.push(part);
    }
  }
  const boundary = findBoundary(parts, random);
  const chunks: Uint8Array[] = [];
  for (const { head, content } of parts) {
    chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`, 'utf8'), content, LINE_END);
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`, 'latin1'));
  return {
    body: Buffer.concat(chunks),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

const LINE_END = Buffer.from('\r\n', 'latin1');

function toPart(name: string, value: unknown): Part | undefined {
  if (!isFilePart(value)) return makePart(name, value, NO_OPTIONS);
  const options = ownMember(value, 'options');
  const what = `Field ${JSON.stringify(name.slice(0, 80))}`;
  return makePart(name, ownMember(value, 'value'), {
    filename: fieldText(readOption(options, 'filename'), () => `${what}: filename`),
    contentType: fieldText(readOption(options, 'contentType'), () => `${what}: contentType`),
  });
}

/** `{ value }` and `{ value, options }`, and nothing that only happens to have a member of that name. */
function isFilePart(value: unknown): value is Record<string, unknown> {
  if (!isPlainObject(value) || !Object.hasOwn(value, 'value')) return false;
  return Object.keys(value).every((key) => key === 'value' || key === 'options');
}

function readOption(options: unknown, name: string): unknown {
  return isPlainObject(options) ? ownMember(options, name) : undefined;
}

function makePart(name: string, value: unknown, options: FileOptions): Part | undefined {
  const content = encodeContent(name, value);
  if (content === undefined) return undefined;
  const isFile = options.filename !== undefined || value instanceof Uint8Array;
  const filename =
    options.filename === undefined ? '' : `; filename="${escapeName(baseName(options.filename))}"`;
  const contentType = options.contentType || (isFile ? 'application/octet-stream' : undefined);
  if (contentType !== undefined && /[^\t\x20-\x7e]/.test(contentType)) {
    throw requestInvalid(
      `Field ${JSON.stringify(name.slice(0, 80))}: contentType holds a character it cannot hold.`,
    );
  }
  const typeLine = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`;
  return {
    head: `Content-Disposition: form-data; name="${escapeName(name)}"${filename}${typeLine}`,
    content,
  };
}

function encodeContent(name: string, value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
  if (isNested) return jsonBytes(value);
  const text = fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

/** The file's own name: a server may take the rest as a place to write to. */
function baseName(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

function escapeName(name: string): string {
  return name.replace(/[\p{Cc}"]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });
}

/** A boundary that no part holds. The number of the attempt keeps a poor random source from giving the same one again. */
function findBoundary(parts: readonly Part[], random: () => number): string {
  for (let attempt = 0; attempt < MAX_BOUNDARY_ATTEMPTS; attempt++) {
    const digits = Array.from({ length: BOUNDARY_DIGITS }, () => Math.floor(random() * 36).toString(36));
    const boundary = `----iml${digits.join('')}${attempt.toString(36)}`;
    if (!isTaken(boundary, parts)) return boundary;
  }
  throw requestInvalid('No boundary was found that the parts of the body do not hold.');
}

function isTaken(boundary: string, parts: readonly Part[]): boolean {
  return parts.some(
    ({ head, content }) =>
      head.includes(boundary) ||
      Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(boundary),
  );
}
