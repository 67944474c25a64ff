import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { TransportError } from '../../shared/errors/engine-error.js';
import { responseHeader } from './headers.js';
import { parseHttpUrl } from './http-url.js';
import { followRedirects } from './redirects.js';
import type { Transport, TransportResponse } from './transport.js';
import { findByteReservation, MAX_RESPONSE_BYTES, UNCOUNTED_BYTES } from './undici-transport.js';

export interface ContentDecodingOptions {
  /** Largest decoded body in bytes. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * Largest ratio of decoded to encoded bytes. Default: 250. API text stays below 50, a decompression bomb reaches
   * 1000.
   */
  readonly maxRatio?: number | undefined;
}

/** Creates the decoder stream for a body. */
type Decoder = (bytes: Uint8Array) => Transform;

/** Bodies up to this size may exceed the ratio. */
const FREE_BYTES = 1024 * 1024;

/** Largest number of stacked encodings. More would only hide a decompression bomb. */
const MAX_ENCODINGS = 4;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: (bytes) => (hasZlibHeader(bytes) ? zlib.createInflate() : zlib.createInflateRaw()),
  br: () => zlib.createBrotliDecompress(),
};

/** Values of `Content-Encoding` that mean no encoding. [inf] */
const NO_ENCODINGS: ReadonlySet<string> = new Set([
  '',
  'identity',
  'none',
  'binary',
  'utf-8',
  'utf8',
  'aws-chunked',
]);

/**
 * Decodes the body of a response: gzip, deflate (with and without zlib header), brotli, also stacked. Removes
 * `content-encoding` and `content-length` from the headers. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests; docs/security.md.
 *
 * Rejects with NETWORK_DECODE for an invalid encoding, NETWORK_RESPONSE_TOO_LARGE beyond a limit, and the signal's
 * reason after an abort.
 */
export async function decodeContent(
  response: TransportResponse,
  signal: AbortSignal,
  options: ContentDecodingOptions = {},
): Promise<TransportResponse> {
  const { maxBytes = MAX_RESPONSE_BYTES, maxRatio = 250 } = options;
  const encodings = readEncodings(response);
  if (encodings.length === 0) return response;
  const { origin } = parseHttpUrl(response.url);
  let { body } = response;
  if (body.byteLength > 0) {
    const ceiling = Math.min(maxBytes, Math.max(FREE_BYTES, body.byteLength * maxRatio));
    if (encodings.length > MAX_ENCODINGS) throw undecodable(origin, 'too many encodings');
    for (const encoding of encodings.toReversed()) body = await decode(body, encoding, ceiling, origin);
    signal.throwIfAborted();
  }
  return { ...response, body, headers: withoutEncoding(response.headers) };
}

/** In the order they were applied. */
function readEncodings(response: TransportResponse): string[] {
  const header = responseHeader(response.headers, 'content-encoding') ?? '';
  return header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NO_ENCODINGS.has(name));
}

async function decode(
  bytes: Uint8Array,
  encoding: string,
  maxOutputLength: number,
  origin: string,
): Promise<Uint8Array> {
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    throw undecodable(origin, `the encoding ${JSON.stringify(encoding.slice(0, 40))} is not known`);
  }
  const pieces = await readPieces(decoder(bytes), bytes, maxOutputLength).catch((cause: unknown) => {
    throw undecodable(origin, `the body is not ${encoding}`, cause);
  });
  if (pieces === undefined) {
    throw new TransportError(
      'NETWORK_RESPONSE_TOO_LARGE',
      `${origin}: the decoded response is larger than ${maxOutputLength} bytes.`,
      { retryable: false },
    );
  }
  return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
}

const EMPTY: Buffer = Buffer.alloc(0);

/** Collects the output of a stream; undefined beyond `maxBytes`. */
function readPieces(
  stream: Transform,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<readonly Buffer[] | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const hold = findByteReservation();
    let counted = UNCOUNTED_BYTES;
    let length = 0;
    stream.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length <= maxBytes) {
        pieces.push(piece);
        if (hold === undefined || length <= counted) return;
        counted = 2 * length;
        stream.pause();
        hold(counted).then(() => stream.resume(), reject);
        return;
      }
      stream.destroy();
      resolve(undefined);
    });
    stream.once('end', () => resolve(pieces));
    stream.on('error', reject);
    stream.end(bytes);
  });
}

function undecodable(origin: string, reason: string, cause?: unknown): TransportError {
  return new TransportError('NETWORK_DECODE', `${origin}: the response cannot be decoded: ${reason}.`, {
    retryable: false,
    cause,
  });
}

/** Servers disagree about "deflate": RFC 9110 means the zlib format, some send raw deflate data. */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

function withoutEncoding(headers: TransportResponse['headers']): TransportResponse['headers'] {
  const rest: Record<string, string | readonly string[]> = Object.assign(Object.create(null), headers);
  delete rest['content-encoding'];
  delete rest['content-length'];
  return rest;
}

/**
 * Completes responses of a transport for single exchanges: follows redirects and decodes the final body. Most
 * responses need neither and pass through.
 *
 * Rejects like `followRedirects` and `decodeContent`.
 */
export function completeResponses(transport: Transport, options: ContentDecodingOptions = {}): Transport {
  return async (request) => {
    const first = await transport(request);
    if (isComplete(first)) return first;
    return decodeContent(await followRedirects(first, request, transport), request.signal, options);
  };
}

function isComplete({ status, headers }: TransportResponse): boolean {
  return (status < 300 || status > 399) && !Object.hasOwn(headers, 'content-encoding');
}
