/** A part of a `multipart/...` body. */
export interface MultipartPart {
  /** Parameters of `Content-Disposition` by lower-case name (`name`, `filename`, `filename*`), with escapes as sent. */
  readonly disposition: ReadonlyMap<string, string>;
  readonly contentType: string | undefined;
  /** A view into the body. */
  readonly content: Uint8Array;
}

/** Creates the error for an invalid body. `reason` is a clause: "it breaks off". */
export type RefuseMultipart = (reason: string) => Error;

/** Largest size of a part's headers in bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
/** RFC 2046 allows 70; tolerates senders that exceed it. */
const MAX_BOUNDARY_LENGTH = 200;
const HEAD_END = '\r\n\r\n';

/**
 * Yields the parts of a body lazily.
 *
 * @param contentType the whole header, for its boundary
 * @param refuse creates the error thrown for an invalid or truncated body
 */
export function* readMultipartParts(
  body: Uint8Array,
  contentType: string,
  refuse: RefuseMultipart,
): Generator<MultipartPart> {
  const boundary = readBoundary(contentType);
  if (boundary === undefined) throw refuse('its Content-Type has no valid boundary');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const piece of splitParts(bytes, boundary, refuse)) yield readPart(piece, refuse);
}

function readBoundary(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  return boundary !== undefined && boundary.length <= MAX_BOUNDARY_LENGTH ? boundary : undefined;
}

/**
 * Yields the bytes between delimiters.
 *
 *     body = [ text CRLF ] "--" boundary { CRLF part CRLF "--" boundary } "--" [ text ] ;
 */
function* splitParts(bytes: Buffer, boundary: string, refuse: RefuseMultipart): Generator<Buffer> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const opening = delimiter.subarray(2);
  // The first delimiter is at the start, or on its own line after a preamble.
  const startsAtOnce = bytes.subarray(0, opening.length).equals(opening);
  const firstAt = startsAtOnce ? 0 : bytes.indexOf(delimiter);
  if (firstAt === -1) throw refuse('its boundary does not occur');
  let at = startsAtOnce ? opening.length : firstAt + delimiter.length;
  for (;;) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return;
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    const next = lineEnd === -1 ? -1 : bytes.indexOf(delimiter, lineEnd);
    if (next === -1) throw refuse('it breaks off');
    yield bytes.subarray(lineEnd + 2, next);
    at = next + delimiter.length;
  }
}

function readPart(piece: Buffer, refuse: RefuseMultipart): MultipartPart {
  const headEnd = piece.indexOf(HEAD_END, 0, 'latin1');
  // A part without headers starts with the empty line.
  const isBare = piece[0] === 0x0d && piece[1] === 0x0a;
  if (!isBare && headEnd === -1) throw refuse('the headers of a part do not end');
  if (!isBare && headEnd > MAX_HEAD_BYTES) throw refuse('the headers of a part are too long');
  const head = isBare ? '' : piece.toString('utf8', 0, headEnd);
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return {
    disposition: readParameters(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type'),
    content: piece.subarray(isBare ? 2 : headEnd + HEAD_END.length),
  };
}

const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/g;

/** Parses `form-data; name="a"; filename="b.txt"`. */
function readParameters(disposition: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return parameters;
}
