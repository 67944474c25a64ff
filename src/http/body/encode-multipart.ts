import { type Parts, spend } from '../../iml/values/work.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import { atMemberInParts, fieldText } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';
import type { EncodedBody } from './encoded-body.js';
import { jsonBytesInParts } from './json-text.js';
import { joinBytes, textBytesInParts } from './text-bytes.js';

interface Part {
  readonly head: string;
  readonly content: Uint8Array;
}

interface FileOptions {
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
}

/** To write a part, and to look for the boundary in it. */
const STEPS_OF_PART = 120;
const STEPS_OF_BYTE = 0.07;

/** Bytes that are looked through between two turns. */
const BYTES_A_TURN = 1024 * 1024;

/** Parts likewise. */
const PARTS_A_TURN = 512;

const BOUNDARY_DIGITS = 24;
const MAX_BOUNDARY_ATTEMPTS = 100;
const NO_OPTIONS: FileOptions = { filename: undefined, contentType: undefined };

/**
 * A collection as `multipart/form-data`, a part at a time: one part a key, several for a list, none for undefined and null.
 * A file is `{ value, options: { filename, contentType } }` [app]; binary data alone is a part of type
 * `application/octet-stream`; other values are text parts, nested ones as JSON text [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. Form: RFC 7578; names are
 * escaped as browsers do (HTML, "multipart form data").
 *
 * @param random gives numbers from 0 to 1
 * @throws REQUEST_INVALID for a body that is no collection, and for a content type that is no header value
 */
export function* encodeMultipart(value: unknown, random: () => number): Parts<EncodedBody> {
  if (!isPlainObject(value)) {
    throw requestInvalid('A body of type multipart/form-data must be a collection of fields.');
  }
  const parts: Part[] = [];
  // Not as pairs: a list of them is made for all names at once.
  for (const name of Object.keys(value)) {
    const member = value[name];
    const items: readonly unknown[] = Array.isArray(member) ? member : [member];
    for (const item of items) {
      const part = yield* atMemberInParts(name, toPart(name, item));
      if (part === undefined) continue;
      parts.push(part);
      yield;
    }
  }
  const boundary = yield* findBoundary(parts, random);
  const chunks: Uint8Array[] = [];
  for (const [index, { head, content }] of parts.entries()) {
    chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`, 'utf8'), content, LINE_END);
    if (index % PARTS_A_TURN === 0) yield;
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`, 'latin1'));
  return {
    body: yield* joinBytes(chunks),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

const LINE_END = Buffer.from('\r\n', 'latin1');

function* toPart(name: string, value: unknown): Parts<Part | undefined> {
  if (!isFilePart(value)) return yield* makePart(name, value, NO_OPTIONS);
  const options = ownMember(value, 'options');
  const what = `Field ${JSON.stringify(name.slice(0, 80))}`;
  return yield* makePart(name, ownMember(value, 'value'), {
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

function* makePart(name: string, value: unknown, options: FileOptions): Parts<Part | undefined> {
  const content = yield* encodeContent(name, value);
  if (content === undefined) return undefined;
  spend(STEPS_OF_PART);
  // Before the boundary is drawn: what has drawn chance may not fail at its steps, or others would find what it drew.
  for (let left = content.byteLength; left > 0; left -= BYTES_A_TURN) {
    spend(STEPS_OF_BYTE * Math.min(left, BYTES_A_TURN));
    if (left > BYTES_A_TURN) yield;
  }
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

function* encodeContent(name: string, value: unknown): Parts<Uint8Array | undefined> {
  if (value instanceof Uint8Array) return value;
  const isNested = typeof value === 'object' && value !== null && !(value instanceof Date);
  if (isNested) return yield* jsonBytesInParts(value);
  const text = fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
  return text === undefined ? undefined : yield* textBytesInParts(text);
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
function* findBoundary(parts: readonly Part[], random: () => number): Parts<string> {
  for (let attempt = 0; attempt < MAX_BOUNDARY_ATTEMPTS; attempt++) {
    const digits = Array.from({ length: BOUNDARY_DIGITS }, () => Math.floor(random() * 36).toString(36));
    const boundary = `----iml${digits.join('')}${attempt.toString(36)}`;
    if (!(yield* isTaken(boundary, parts))) return boundary;
  }
  throw requestInvalid('No boundary was found that the parts of the body do not hold.');
}

function* isTaken(boundary: string, parts: readonly Part[]): Parts<boolean> {
  for (const [index, { head, content }] of parts.entries()) {
    if (index % PARTS_A_TURN === 0) yield;
    if (head.includes(boundary)) return true;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    for (let start = 0; start < bytes.byteLength; start += BYTES_A_TURN) {
      // One that begins here may end in what comes next.
      const piece = bytes.subarray(start, start + BYTES_A_TURN + boundary.length);
      if (piece.includes(boundary)) return true;
      if (bytes.byteLength > BYTES_A_TURN) yield;
    }
  }
  return false;
}
