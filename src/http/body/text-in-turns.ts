import { StringDecoder } from 'node:string_decoder';
import type { Turns } from '../../util/turns.js';
import { decodeText } from './decode-text.js';

/** Bytes that are decoded at once. */
const PIECE_BYTES = 64 * 1024;

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
export function detectEncoding([first, second, third]: Uint8Array, charset: string | undefined): string {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  try {
    return new TextDecoder(charset ?? 'utf-8').encoding;
  } catch {
    return 'utf-8';
  }
}
