import { isPlainObject, ownMember } from '../../util/plain-object.js';
import { atMember, fieldText } from '../message/field-text.js';
import { requestInvalid } from '../message/request-invalid.js';
import type { EncodedBody } from './encoded-body.js';
import { jsonBytes } from './json-text.js';

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
