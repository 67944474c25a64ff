import { StringDecoder } from 'node:string_decoder';
import type { Turns } from '../../util/turns.js';
import { decodeText } from './decode-text.js';

/** Bytes that are decoded at once. */
const PIECE_BYTES = 32 * 1024;

/** Bodies up to here are read at once, in a few milliseconds. Taking turns would take longer. */
export const MAX_BYTES_AT_ONCE: number = 256 * 1024;

/** The same for XML and forms, which no parser of the host's reads: 256 KiB of them take 60 ms in a process that has read none. */
export const MAX_READ_AT_ONCE: number = 32 * 1024;

/** `decodeText` for a large text. */
export async function readTextInTurns(
  bytes: Uint8Array,
  charset: string | undefined,
  turns: Turns,
): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of decodeTextInTurns(bytes, charset, turns)) pieces.push(piece);
  return pieces.join('');
}

/** A large text in UTF-8, without byte order mark. */
export async function readUtf8InTurns(
  bytes: Uint8Array,
  charset: string | undefined,
  turns: Turns,
): Promise<Buffer> {
  if (detectEncoding(bytes, charset) !== 'utf-8') {
    const pieces: Buffer[] = [];
    for await (const piece of decodeTextInTurns(bytes, charset, turns)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return text.subarray(0, 3).equals(BYTE_ORDER_MARK) ? text.subarray(3) : text;
}

const BYTE_ORDER_MARK: Buffer = Buffer.from('\ufeff');

/** The pieces of a text in order. Large ones come in turns. The rules are those of `decodeText`. */
export async function* decodeTextInTurns(
  bytes: Uint8Array,
  charset: string | undefined,
  turns: Turns,
): AsyncGenerator<string, void> {
  const decode = pieceDecoder(bytes, charset);
  for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES) {
    const end = start + PIECE_BYTES;
    yield decode(bytes.subarray(start, end), end >= bytes.byteLength);
    if (turns.isOver) await turns.next();
  }
}

function pieceDecoder(
  bytes: Uint8Array,
  charset: string | undefined,
): (piece: Uint8Array, isLast: boolean) => string {
  const encoding = detectEncoding(bytes, charset);
  // One byte a character: pieces do not depend on one another.
  if (encoding === 'windows-1252') return (piece) => decodeText(piece, encoding);
  if (encoding === 'utf-8') {
    const decoder = new StringDecoder('utf8');
    let isFirst = true;
    return (piece, isLast) => {
      const text = decoder.write(piece) + (isLast ? decoder.end() : '');
      const start = isFirst && text.startsWith('\ufeff') ? 1 : 0;
      isFirst = false;
      return text.slice(start);
    };
  }
  const decoder = new TextDecoder(encoding);
  return (piece, isLast) => decoder.decode(piece, { stream: !isLast });
}

/** The name of the encoding that `decodeText` would read with. */
function detectEncoding([first, second, third]: Uint8Array, charset: string | undefined): string {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  try {
    return new TextDecoder(charset ?? 'utf-8').encoding;
  } catch {
    return 'utf-8';
  }
}
