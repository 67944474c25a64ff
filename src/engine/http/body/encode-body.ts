import { describeType } from '../../../language/values/value.js';
import { requestInvalid } from '../../../shared/errors/engine-error.js';
import {
  assertNever,
  isPlainObject,
  ownMember,
  type PlainObject,
  setMember,
} from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { REQUEST_TYPES } from '../../document/directive-values.js';
import { atMember, fieldText } from '../headers.js';
import { encodeFormComponent } from '../http-url.js';

/** An encoded request body. */
export interface EncodedBody {
  /** Undefined: the request has no body. */
  readonly body: Uint8Array | undefined;
  /** The matching `Content-Type`, if the type has one and there is a body. */
  readonly contentType: string | undefined;
}

export type RequestType = (typeof REQUEST_TYPES)[number];

const NO_BODY: EncodedBody = { body: undefined, contentType: undefined };

/**
 * Reads an evaluated `type`. Undefined, null and empty text mean `json`.
 *
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
 * Encodes an evaluated body. Undefined means no body; null is JSON's `null`, and no body for other types. The caller
 * decides whether the method has a body (GET has none). Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @param random returns numbers from 0 to 1, for the boundary of a multipart body
 * @throws REQUEST_INVALID for a value that the type cannot represent
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

/** Arrays and collections become JSON text. [inf] */
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

/** No known API nests form fields deeper. */
const MAX_FORM_DEPTH = 20;

/**
 * Encodes `application/x-www-form-urlencoded`. Text counts as already encoded. Skips undefined and null; repeats the
 * name for lists [inf]. Nested collections use brackets, `a[b]=1` and `a[0][b]=1`, like the HTTP client whose options
 * the platform adopted [inf]. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for a body that is neither text nor a collection, and for more than 20 levels
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
  // Percent-encoded text is ASCII.
  return Buffer.from(fields.join('&'), 'latin1');
}

function addField(fields: string[], name: string, value: unknown, depth: number): void {
  if (depth > MAX_FORM_DEPTH)
    throw requestInvalid(`The body is nested deeper than ${MAX_FORM_DEPTH} levels.`);
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
 * Encodes a collection as `multipart/form-data`: one part per key, several for a list, none for undefined and null. A
 * file is `{ value, options: { filename, contentType } }` [app]; binary data is a part of type
 * `application/octet-stream`; other values are text parts, nested values JSON text [inf]. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. Format: RFC 7578; names
 * are escaped as in browsers (HTML, "multipart form data").
 *
 * @param random returns numbers from 0 to 1
 * @throws REQUEST_INVALID for a body that is not a collection, or an invalid content type
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

/** Matches `{ value }` and `{ value, options }` only, not collections that happen to have a member of that name. */
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
      `Field ${JSON.stringify(name.slice(0, 80))}: contentType contains an invalid character.`,
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

/** Drops the path, which a server could use as a target. */
function baseName(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

function escapeName(name: string): string {
  return name.replace(/[\p{Cc}"]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });
}

/**
 * Returns a boundary that no part contains. The attempt number makes boundaries differ even with a poor random source.
 */
function findBoundary(parts: readonly Part[], random: () => number): string {
  for (let attempt = 0; attempt < MAX_BOUNDARY_ATTEMPTS; attempt++) {
    const digits = Array.from({ length: BOUNDARY_DIGITS }, () => Math.floor(random() * 36).toString(36));
    const boundary = `----iml${digits.join('')}${attempt.toString(36)}`;
    if (!isTaken(boundary, parts)) return boundary;
  }
  throw requestInvalid('No boundary was found that the body does not contain.');
}

function isTaken(boundary: string, parts: readonly Part[]): boolean {
  return parts.some(
    ({ head, content }) =>
      head.includes(boundary) ||
      Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(boundary),
  );
}

/** Deeper than known APIs nest, shallow enough for all JSON parsers. */
const MAX_JSON_DEPTH = 1000;

/**
 * Converts a value to JSON text. Drops undefined members, keeps null; in arrays both become `null`. Dates become ISO
 * text, binary data base64 [inf]. Functions, including `toJSON` members, are dropped and never called. [app]
 *
 * @returns undefined if the value itself is dropped
 * @throws REQUEST_INVALID for a circular reference or more than 1000 levels
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(toJson(value, []));
}

/** Copies plain data only, so that `JSON.stringify` calls no code of the value. */
function toJson(value: unknown, ancestors: object[]): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return bytesToBase64(value);
  if (value instanceof ArrayBuffer) return bytesToBase64(new Uint8Array(value));

  if (ancestors.includes(value)) throw requestInvalid('The body contains a circular reference.');
  assertDepth(ancestors.length);
  ancestors.push(value);
  const copy = Array.isArray(value)
    ? Array.from(value, (item: unknown) => toJson(item, ancestors) ?? null)
    : membersToJson(isPlainObject(value) ? value : { ...value }, ancestors);
  ancestors.pop();
  return copy;
}

function membersToJson(value: PlainObject, ancestors: object[]): PlainObject {
  const copy: PlainObject = {};
  const names = Object.keys(value);
  for (const name of names) {
    const isOutermost = ancestors.length === 1;
    const member = isOutermost
      ? atMember(name, () => toJson(value[name], ancestors))
      : toJson(value[name], ancestors);
    if (member !== undefined) setMember(copy, name, member);
  }
  return copy;
}

function assertDepth(depth: number): void {
  if (depth >= MAX_JSON_DEPTH)
    throw requestInvalid(`The body is nested deeper than ${MAX_JSON_DEPTH} levels.`);
}

/** Same as `jsonText`, in UTF-8. */
function jsonBytes(value: unknown): Uint8Array | undefined {
  const text = jsonText(value);
  return text === undefined ? undefined : Buffer.from(text, 'utf8');
}

/** Encodes bytes as base64 text. */
function bytesToBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
