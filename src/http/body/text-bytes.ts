import { textChunks } from '../../iml/values/size-limits.js';
import { type Parts, spend } from '../../iml/values/work.js';

/** To write a character that takes one byte, and each byte more of another. */
const STEPS_OF_CHARACTER = 0.045;
const STEPS_OF_BYTE = 0.12;

/** A text of this length is written in no time. */
const SHORT_TEXT = 4096;

/** A text in UTF-8. A surrogate without its partner becomes U+FFFD. */
export function textBytes(text: string): Buffer {
  spend(STEPS_OF_CHARACTER * text.length);
  const bytes = Buffer.from(text, 'utf8');
  spend(STEPS_OF_BYTE * (bytes.byteLength - text.length));
  return bytes;
}

/** As `textBytes`, a part at a time. */
export function* textBytesInParts(text: string): Parts<Uint8Array> {
  if (text.length <= SHORT_TEXT) return textBytes(text);
  const pieces: Uint8Array[] = [];
  for (const chunk of textChunks(text)) {
    pieces.push(textBytes(chunk));
    yield;
  }
  return yield* joinBytes(pieces);
}

/** Bytes that are copied between two turns. */
const BYTES_A_TURN = 1024 * 1024;
/** To copy a chunk takes as long as some of its bytes do. */
const BYTES_OF_CHUNK = 500;

/** Bytes behind one another, a part at a time; the steps of what they hold are counted already. */
export function* joinBytes(chunks: readonly Uint8Array[]): Parts<Buffer> {
  const joined = Buffer.allocUnsafe(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let length = 0;
  let left = BYTES_A_TURN;
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.byteLength; start += BYTES_A_TURN) {
      const piece = chunk.subarray(start, start + BYTES_A_TURN);
      joined.set(piece, length);
      length += piece.byteLength;
      left -= piece.byteLength + BYTES_OF_CHUNK;
      if (left > 0) continue;
      left = BYTES_A_TURN;
      yield;
    }
  }
  return joined;
}
