import { jsonProblem } from '../../util/json-problem.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import type { ParseResult } from './parse-json.js';

/** Bytes `JSON.parse` is given at once: it takes a millisecond or two for them. */
const PIECE_BYTES = 64 * 1024;
/** Bytes that are walked over between two looks at the clock. */
const STEP_BYTES = 128 * 1024;
/** Deeper than any API nests; what is deeper was made to exhaust a reader. */
const MAX_DEPTH = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A list or object that is not closed yet. */
interface Container {
  readonly isList: boolean;
  /** Where its bracket stands. */
  readonly start: number;
  /** What was read of it; undefined as long as that is nothing, and the whole of it may be read with its parent. */
  value: unknown[] | PlainObject | undefined;
  /** The first byte that is not read yet. */
  unread: number;
  /** The first byte of the member at hand. */
  member: number;
  /** Where the colon of the member at hand stands. */
  colon: number;
  /** Whether the member at hand has been read already, as it was too large to be read with others. */
  isMemberRead: boolean;
}

class JsonProblem extends Error {}

/**
 * Reads JSON of any size in turns. The brackets and commas are found here; pieces between them, of many small members or
 * a single large one, are left to `JSON.parse`, which also judges whether they are JSON.
 *
 * @param bytes UTF-8 without byte order mark, and a list or an object
 */
export async function parseJsonInTurns(
  bytes: Buffer,
  turns: Turns,
  pieceBytes: number = PIECE_BYTES,
): Promise<ParseResult> {
  const reader = new JsonReader(bytes, pieceBytes);
  try {
    for (let end = STEP_BYTES; !reader.isAtEnd; end += STEP_BYTES) {
      reader.readTo(end);
      if (turns.isOver) await turns.next();
    }
    return { ok: true, value: reader.finish() };
  } catch (error) {
    if (error instanceof JsonProblem) return { ok: false, message: error.message };
    throw error;
  }
}

function addMember(container: unknown[] | PlainObject, name: string, value: unknown): void {
  if (Array.isArray(container)) container.push(value);
  else setMember(container, name, value);
}

class JsonReader {
  readonly #bytes: Buffer;
  readonly #pieceBytes: number;
  readonly #open: Container[] = [];
  #position = 0;
  #isInString = false;
  #root: { readonly value: unknown } | undefined;

  constructor(bytes: Buffer, pieceBytes: number) {
    this.#bytes = bytes;
    this.#pieceBytes = pieceBytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** What was read, once all is. */
  finish(): unknown {
    if (this.#root === undefined) throw new JsonProblem('Unexpected end of JSON input');
    return this.#root.value;
  }

  /** Walks on to a byte. */
  readTo(end: number): void {
    const bytes = this.#bytes;
    const last = Math.min(end, bytes.length);
    while (this.#position < last) {
      if (this.#isInString) {
        this.#skipString(last);
        continue;
      }
      const byte = bytes[this.#position] ?? 0;
      if (byte > 0x20 && byte !== OPEN_LIST && byte !== OPEN_OBJECT && this.#open.length === 0) {
        throw this.#unexpected();
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === COMMA || byte === COLON) this.#separate(byte);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#begin(byte === OPEN_LIST);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#end(byte === CLOSE_LIST);
      this.#position++;
    }
  }

  #skipString(last: number): void {
    const bytes = this.#bytes;
    let position = this.#position;
    while (position < last) {
      const byte = bytes[position];
      position += byte === BACKSLASH ? 2 : 1;
      if (byte === QUOTE) {
        this.#isInString = false;
        break;
      }
    }
    this.#position = position;
  }

  #begin(isList: boolean): void {
    const start = this.#position;
    if (this.#root !== undefined) throw this.#unexpected();
    if (this.#open.length >= MAX_DEPTH) throw new JsonProblem(`more than ${MAX_DEPTH} levels`);
    const unread = start + 1;
    this.#open.push({
      isList,
      start,
      value: undefined,
      unread,
      member: unread,
      colon: -1,
      isMemberRead: false,
    });
  }

  #separate(byte: number): void {
    const container = this.#open.at(-1);
    const at = this.#position;
    if (container === undefined) throw this.#unexpected();
    if (byte === COLON) {
      if (container.colon < 0) container.colon = at;
      return;
    }
    if (container.isMemberRead) {
      this.#assertBlank(container.unread, at);
      container.unread = at + 1;
      container.isMemberRead = false;
    } else if (at - container.unread >= this.#pieceBytes) {
      this.#readPiece(container, at);
      container.unread = at + 1;
    }
    container.member = at + 1;
    container.colon = -1;
  }

  #end(isList: boolean): void {
    const container = this.#open.pop();
    const at = this.#position;
    if (container === undefined || container.isList !== isList) throw this.#unexpected();
    const parent = this.#open.at(-1);
    if (container.value === undefined) {
      if (parent === undefined) this.#root = { value: this.#parse(container.start, at + 1) };
      return;
    }
    if (container.isMemberRead) this.#assertBlank(container.unread, at);
    else this.#readPiece(container, at);
    if (parent === undefined) this.#root = { value: container.value };
    else this.#attach(container, parent, at + 1);
  }

  /** Adds a container that was read by itself to its parent, behind the members that come before it. */
  #attach({ start, value }: Container, parent: Container, end: number): void {
    if (parent.member > parent.unread) this.#readPiece(parent, parent.member - 1);
    const name = parent.isList ? '' : this.#readName(parent);
    this.#assertBlank(parent.isList ? parent.member : parent.colon + 1, start);
    parent.value ??= parent.isList ? [] : {};
    addMember(parent.value, name, value);
    parent.unread = end;
    parent.isMemberRead = true;
  }

  #readName({ member, colon }: Container): string {
    const name = colon < 0 ? undefined : this.#parse(member, colon);
    if (typeof name !== 'string') throw this.#unexpected();
    return name;
  }

  /** Reads whole members, at least one, up to a comma or bracket. */
  #readPiece(container: Container, end: number): void {
    const { isList, unread } = container;
    const text = this.#bytes.toString('utf8', unread, end);
    const piece = this.#parseText(isList ? `[${text}]` : `{${text}}`, unread, end);
    const entries = Object.entries(piece as object);
    if (entries.length === 0) throw this.#unexpected();
    container.value ??= isList ? [] : {};
    for (const [name, value] of entries) addMember(container.value, name, value);
  }

  #parse(start: number, end: number): unknown {
    return this.#parseText(this.#bytes.toString('utf8', start, end), start, end);
  }

  #parseText(text: string, start: number, end: number): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      const reason = error instanceof SyntaxError ? jsonProblem(error) : 'it is too large to be read';
      throw new JsonProblem(`${reason.replace(/ at position .*$/s, '')}, between bytes ${start} and ${end}`);
    }
  }

  #assertBlank(start: number, end: number): void {
    if (this.#bytes.toString('latin1', start, end).trim() !== '') throw this.#unexpected();
  }

  #unexpected(): JsonProblem {
    return new JsonProblem(`Unexpected token in JSON at byte ${this.#position}`);
  }
}
