import { WebhookError } from '../../errors/webhook-error.js';
import { decodeText } from '../../http/body/decode-text.js';
import { isTextMediaType, readContentType } from '../../http/message/content-type.js';
import { decodeComponent } from '../../http/message/percent-encoding.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import { listFields } from './form-fields.js';

interface Part {
  readonly disposition: ReadonlyMap<string, string>;
  readonly contentType: string | undefined;
  readonly content: Uint8Array;
}

/** A file of a multipart payload. Source: https://help.make.com/webhooks. [inf] */
interface FilePart {
  readonly name: string | undefined;
  readonly mime: string;
  readonly data: Uint8Array;
}

/** Bytes a part's headers may take. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Of RFC 2046, with room for senders who do not count. */
const MAX_BOUNDARY_LENGTH = 200;
const HEAD_END = '\r\n\r\n';

/**
 * Reads `multipart/form-data` into a collection of fields: text, or `{name, mime, data}` for a file. A name that
 * comes again, or ends with `[]`, gives a list.
 *
 * @param contentType the whole header, for its boundary
 * @throws WebhookError WEBHOOK_PAYLOAD for a payload that breaks off or is none, and for more than `maxFields` parts
 */
export function parseMultipart(body: Uint8Array, contentType: string, maxFields: number): PlainObject {
  const reader = readParts(body, contentType, maxFields);
  for (;;) {
    const step = reader.next();
    if (step.done === true) return step.value;
  }
}

/** `parseMultipart` for a large payload. */
export async function parseMultipartInTurns(
  body: Uint8Array,
  contentType: string,
  maxFields: number,
  turns: Turns,
): Promise<PlainObject> {
  const reader = readParts(body, contentType, maxFields);
  for (;;) {
    const step = reader.next();
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.next();
  }
}

/** Reads a part a step. */
function* readParts(body: Uint8Array, contentType: string, maxFields: number): Generator<void, PlainObject> {
  const boundary = readBoundary(contentType);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fields = new Map<string, unknown[]>();
  let count = 0;
  for (const piece of splitParts(bytes, boundary)) {
    if (++count > maxFields) throw invalid(`it has more than ${maxFields} parts`);
    yield;
    const part = readPart(piece);
    const name = part.disposition.get('name');
    if (name === undefined) continue;
    const values = fields.get(name) ?? [];
    values.push(partValue(part));
    fields.set(name, values);
  }
  const form: PlainObject = {};
  for (const [name, values] of fields) setMember(form, name, values.length === 1 ? values[0] : values);
  return listFields(form);
}

function readBoundary(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || boundary.length > MAX_BOUNDARY_LENGTH) {
    throw invalid('its Content-Type has no usable boundary');
  }
  return boundary;
}

/**
 * What stands between the delimiters.
 *
 *     body = [ text CRLF ] "--" boundary { CRLF part CRLF "--" boundary } "--" [ text ] ;
 */
function* splitParts(bytes: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const opening = delimiter.subarray(2);
  // The first delimiter stands at the very start, or in a line of its own behind a preamble.
  const startsAtOnce = bytes.subarray(0, opening.length).equals(opening);
  const firstAt = startsAtOnce ? 0 : bytes.indexOf(delimiter);
  if (firstAt === -1) throw invalid('its boundary does not occur');
  let at = startsAtOnce ? opening.length : firstAt + delimiter.length;
  for (;;) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return;
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    const next = lineEnd === -1 ? -1 : bytes.indexOf(delimiter, lineEnd);
    if (next === -1) throw invalid('it breaks off');
    yield bytes.subarray(lineEnd + 2, next);
    at = next + delimiter.length;
  }
}

function readPart(piece: Buffer): Part {
  const headEnd = piece.indexOf(HEAD_END, 0, 'latin1');
  // A part without headers starts with the empty line itself.
  const isBare = piece[0] === 0x0d && piece[1] === 0x0a;
  if (!isBare && headEnd === -1) throw invalid('a part has no end of its headers');
  if (!isBare && headEnd > MAX_HEAD_BYTES) throw invalid('the headers of a part are too long');
  const head = isBare ? '' : piece.toString('utf8', 0, headEnd);
  const content = piece.subarray(isBare ? 2 : headEnd + HEAD_END.length);
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return {
    disposition: readParameters(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type'),
    content,
  };
}

const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g;

/** `form-data; name="a"; filename="b.txt"`; quotes are escaped by a backslash, or by `%22` as browsers do. */
function readParameters(disposition: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    const value = quoted === undefined ? plain : quoted.replace(/\\(["\\])/g, '$1');
    parameters.set(name.toLowerCase(), value.replace(/%(?:22|0D|0A)/gi, decodeComponent));
  }
  return parameters;
}

function partValue({ disposition, contentType, content }: Part): string | FilePart {
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
  const filename = encoded === undefined ? disposition.get('filename') : decodeComponent(encoded);
  return filename?.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

function invalid(reason: string): WebhookError {
  return new WebhookError('WEBHOOK_PAYLOAD', `The payload is not valid multipart/form-data: ${reason}.`);
}
