import { isPlainObject, type PlainObject } from '../util/plain-object.js';
import { isLeftOut, isMark, MARK } from '../util/portable-value.js';
import type { Turns } from '../util/turns.js';

/** Characters of a text, and bytes, that are written at once; bytes in whole groups of base64. */
const TEXT_PIECE = 16 * 1024;
const BYTES_PIECE = 3 * TEXT_PIECE;
/** Characters that are put together before they are kept. */
const PIECE = 64 * 1024;
/** Parts that are written between two looks at the clock. */
const STEP = 500;

/** A text of JSON, and how many bytes it has. */
export interface WrittenJson {
  readonly text: string;
  readonly bytes: number;
}

/** The JSON text of `toPortable(value)`, written in turns however large the value is; `null` for what is left out. */
export async function writePortable(value: unknown, turns: Turns): Promise<WrittenJson> {
  const writer = new PortableWriter(value);
  while (!writer.writeOn(STEP)) if (turns.isOver) await turns.next();
  return writer.finish();
}

/** What is open around what comes next. */
type Frame =
  | { readonly items: readonly unknown[]; next: number }
  | { readonly members: PlainObject; readonly names: readonly string[]; readonly end: string; next: number }
  | { readonly text: string; next: number }
  | { readonly bytes: Uint8Array; next: number };

class PortableWriter {
  readonly #open: Frame[] = [];
  /** How many of them are lists and collections. */
  #depth = 0;
  #piece = '';
  readonly #pieces: string[] = [];
  #bytes = 0;

  constructor(root: unknown) {
    this.#begin(isLeftOut(root, 0) ? null : root);
  }

  /** Writes so many parts; true once all are. */
  writeOn(parts: number): boolean {
    for (let left = parts; left > 0; left--) {
      const frame = this.#open.at(-1);
      if (frame === undefined) return true;
      if ('text' in frame) left -= this.#writeText(frame);
      else if ('bytes' in frame) left -= this.#writeBytes(frame);
      else if ('items' in frame) this.#writeItem(frame);
      else this.#writeMember(frame);
      if (this.#piece.length >= PIECE) this.#keepPiece();
    }
    return false;
  }

  finish(): WrittenJson {
    this.#keepPiece();
    return { text: this.#pieces.join(''), bytes: this.#bytes };
  }

  #keepPiece(): void {
    this.#pieces.push(this.#piece);
    // Measured, it is one text and no longer a tree of its parts, which `join` would have to go through all at once.
    this.#bytes += Buffer.byteLength(this.#piece);
    this.#piece = '';
  }

  #writeItem(frame: Extract<Frame, { items: readonly unknown[] }>): void {
    const { items, next } = frame;
    if (next >= items.length) return this.#end(']');
    if (next > 0) this.#piece += ',';
    frame.next++;
    const item = items[next];
    this.#begin(isLeftOut(item, this.#depth) ? null : item);
  }

  #writeMember(frame: Extract<Frame, { members: PlainObject }>): void {
    const { members, names, end, next } = frame;
    const name = names[next];
    if (name === undefined) return this.#end(end);
    frame.next++;
    this.#piece += `${next > 0 ? ',' : ''}${JSON.stringify(name)}:`;
    this.#begin(members[name]);
  }

  #end(end: string): void {
    this.#piece += end;
    this.#depth--;
    this.#open.pop();
  }

  #begin(value: unknown): void {
    if (Array.isArray(value)) {
      this.#piece += '[';
      this.#enter({ items: value, next: 0 });
    } else if (isPlainObject(value)) {
      const names = Object.keys(value).filter((name) => !isLeftOut(value[name], this.#depth + 1));
      const isEscaped = isMark(names);
      this.#piece += isEscaped ? `{"${MARK.escaped}":{` : '{';
      this.#enter({ members: value, names, end: isEscaped ? '}}' : '}', next: 0 });
    } else if (value instanceof Date) {
      this.#piece += `{"${MARK.date}":"${value.toISOString()}"}`;
    } else if (value instanceof Uint8Array) {
      this.#piece += `{"${MARK.bytes}":"`;
      this.#open.push({ bytes: value, next: 0 });
    } else if (typeof value === 'string' && value.length > TEXT_PIECE) {
      this.#piece += '"';
      this.#open.push({ text: value, next: 0 });
    } else {
      this.#piece += JSON.stringify(value);
    }
  }

  #enter(frame: Frame): void {
    this.#depth++;
    this.#open.push(frame);
  }

  /** @returns for how many parts it counts */
  #writeText(frame: Extract<Frame, { text: string }>): number {
    const { text, next } = frame;
    let end = Math.min(next + TEXT_PIECE, text.length);
    // The halves of a character would be written as escapes, each by itself.
    if (isHighHalf(text.charCodeAt(end - 1)) && end < text.length) end--;
    this.#piece += JSON.stringify(text.slice(next, end)).slice(1, -1);
    frame.next = end;
    if (end === text.length) this.#close('"');
    return STEP;
  }

  #writeBytes(frame: Extract<Frame, { bytes: Uint8Array }>): number {
    const { bytes, next } = frame;
    const piece = bytes.subarray(next, next + BYTES_PIECE);
    this.#piece += Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
    frame.next += BYTES_PIECE;
    if (frame.next >= bytes.byteLength) this.#close('"}');
    return STEP;
  }

  #close(end: string): void {
    this.#piece += end;
    this.#open.pop();
  }
}

function isHighHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
