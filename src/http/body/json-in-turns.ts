import { MAX_NAMES, tooManyNames } from '../../iml/values/size-limits.js';
import { jsonProblem } from '../../util/json-problem.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import { DifferentTexts, tooManyDifferent } from './different-texts.js';
import { MAX_NAME_LENGTH, MAX_VALUES, tooManyValues } from './name-limit.js';
import { type ParseResult, parseJson } from './parse-json.js';

/** Bytes `JSON.parse` is given at once: it takes a millisecond or two for them. */
const PIECE_BYTES = 64 * 1024;
/** Bytes that are walked over between two looks at the clock. */
const STEP_BYTES = 128 * 1024;
/** A string is searched for its end byte by byte at first: most are short, and a search costs as much as so many bytes. */
const SHORT_STRING = 48;
/** A number, a word or white space is read at once: what is between two signs, with the name before it. */
const MAX_UNSIGNED_BYTES: number = 2 * 1024 * 1024;
/** Values of this length are kept in the engine's table of texts as names are; with the quote before them. */
const KEPT_TEXT = 11;
/** What JSON may have between its signs. */
const BLANK = /^[\t\n\r ]*$/;
/** `\u12ab`, the longest escape. */
const ESCAPE_BYTES = 6;
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
  /** Members before the one at hand. */
  count: number;
  /** The first byte that is not read yet. */
  unread: number;
  /** The first byte of the member at hand. */
  member: number;
  /** Where the colon of the member at hand stands. */
  colon: number;
  /** Whether the member at hand has been read already, as it was too large to be read with others. */
  isMemberRead: boolean;
}

/** A text that is not closed yet. */
interface OpenText {
  /** Where its quote stands. */
  readonly start: number;
  readonly isValue: boolean;
  /** What was read of it, where it is long. */
  readonly pieces: string[];
  /** The first byte that is not read yet. */
  unread: number;
  /** Where its last escape stands. */
  escape: number;
}

class JsonProblem extends Error {}

/**
 * Reads JSON of any size in turns. The brackets and commas are found here; pieces between them, of many small members, a
 * single larger one or a part of a long text, are left to `JSON.parse`, which also judges whether they are JSON.
 *
 * @param bytes UTF-8 without byte order mark
 */
export async function parseJsonInTurns(
  bytes: Buffer,
  turns: Turns,
  pieceBytes: number = PIECE_BYTES,
): Promise<ParseResult> {
  const reader = new JsonReader(bytes, pieceBytes);
  try {
    const step = Math.min(STEP_BYTES, pieceBytes);
    while (!reader.isAtEnd) {
      reader.walk(step);
      if (reader.word !== undefined) return parseWord(bytes, reader.word);
      if (turns.isOver) await turns.next();
    }
    return reader.isBlank ? { ok: true, value: undefined } : { ok: true, value: reader.finish() };
  } catch (error) {
    if (error instanceof JsonProblem) return { ok: false, message: error.message };
    throw error;
  }
}

/** A number or a word, or what is no JSON from its first byte on. Longer than this none is written. */
const MAX_WORD_BYTES = 64 * 1024;

function parseWord(bytes: Buffer, start: number): ParseResult {
  const end = start + MAX_WORD_BYTES;
  const result = parseJson(bytes.toString('utf8', start, end));
  if (!result.ok || BLANK.test(bytes.toString('latin1', end))) return result;
  return { ok: false, message: `Unexpected token in JSON behind byte ${start}` };
}

/** Whether a byte goes on with a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >> 6 === 0b10;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
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
  /** Bytes that were read since the walk began. */
  #read = 0;
  /** Values that have come so far. */
  #values = 0;
  readonly #texts: DifferentTexts = new DifferentTexts();
  /** The text that is walked over. */
  #text: OpenText | undefined;
  #root: { readonly value: unknown } | undefined;

  constructor(bytes: Buffer, pieceBytes: number) {
    this.#bytes = bytes;
    this.#pieceBytes = pieceBytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  /** Where a value begins that is no list, object or text. */
  word: number | undefined;

  /** Whether there was nothing but white space. */
  get isBlank(): boolean {
    return this.#root === undefined && this.#open.length === 0 && this.#text === undefined;
  }

  /** What was read, once all is. */
  finish(): unknown {
    if (this.#root === undefined) throw new JsonProblem('Unexpected end of JSON input');
    return this.#root.value;
  }

  /** Walks on so many bytes, or fewer where more than that are read by then: lists in lists may all end at once. */
  walk(step: number): void {
    const bytes = this.#bytes;
    const last = Math.min(this.#position + step, bytes.length);
    this.#read = 0;
    while (this.#position < last && this.#read <= step) {
      if (this.#text !== undefined) {
        this.#walkText(this.#text, last);
        continue;
      }
      const byte = bytes[this.#position] ?? 0;
      if (byte === QUOTE) this.#beginText();
      else if (byte === COMMA || byte === COLON) this.#separate(byte);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#begin(byte === OPEN_LIST);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#end(byte === CLOSE_LIST);
      else if (this.#open.length === 0 && !isBlank(byte)) return this.#beginWord();
      this.#position++;
    }
    this.#assertSigns();
  }

  /** Numbers and words have no more characters than that, nor has what stands between them and a sign. */
  #assertSigns(): void {
    const container = this.#open.at(-1);
    if (container === undefined || this.#text !== undefined) return;
    const sign = Math.max(container.unread, container.member, container.colon + 1);
    if (this.#position - sign <= MAX_UNSIGNED_BYTES) return;
    throw new JsonProblem(`more than ${MAX_UNSIGNED_BYTES} bytes of a number, a word or white space`);
  }

  #beginWord(): void {
    if (this.#root !== undefined) throw this.#unexpected();
    this.word = this.#position;
  }

  #beginText(): void {
    const start = this.#position;
    const parent = this.#open.at(-1);
    if (parent === undefined && this.#root !== undefined) throw this.#unexpected();
    // A name is read with its member.
    const isValue = parent === undefined || parent.isList || parent.colon >= 0;
    this.#text = { start, isValue, pieces: [], unread: start + 1, escape: -1 };
  }

  /** Goes on to the end of the text, or to `last`; of a long one a piece is read there. */
  #walkText(text: OpenText, last: number): void {
    const bytes = this.#bytes;
    let position = this.#position;
    for (let short = position + SHORT_STRING; position < last; ) {
      const byte = bytes[position];
      if (byte === QUOTE) {
        this.#position = position;
        this.#endText(text);
        this.#position++;
        return;
      }
      if (byte === BACKSLASH) {
        text.escape = position;
        position += 2;
      } else if (position < short) {
        position++;
      } else {
        position = this.#findMark(position, last);
        short = position;
      }
    }
    this.#position = position;
    assertNameLength(text, position);
    if (text.isValue && position - text.unread >= this.#pieceBytes) this.#readText(text, position);
  }

  /** The next quote or backslash, or `last` where there is none before it. */
  #findMark(position: number, last: number): number {
    const rest = this.#bytes.subarray(position, last);
    const quote = rest.indexOf(QUOTE);
    const mark = rest.subarray(0, quote < 0 ? undefined : quote).indexOf(BACKSLASH);
    if (mark >= 0) return position + mark;
    return quote < 0 ? last : position + quote;
  }

  /** Reads a text up to about `end`: neither an escape nor a character is cut in two. */
  #readText(text: OpenText, end: number): void {
    const cut = this.#beginOfCharacter(end - text.escape < ESCAPE_BYTES ? text.escape : end);
    if (cut > text.unread) this.#addPiece(text, cut);
  }

  /** Where the character begins that a byte belongs to; the byte itself where it goes on with none, as four in a row do. */
  #beginOfCharacter(at: number): number {
    let begin = at;
    while (at - begin < 3 && isContinuation(this.#bytes[begin])) begin--;
    return isContinuation(this.#bytes[begin]) ? at : begin;
  }

  #addPiece(text: OpenText, end: number): void {
    const { unread } = text;
    const piece = this.#parseText(`"${this.#bytes.toString('utf8', unread, end)}"`, unread, end);
    text.pieces.push(String(piece));
    text.unread = end;
  }

  #endText(text: OpenText): void {
    this.#text = undefined;
    const at = this.#position;
    assertNameLength(text, at);
    const parent = this.#open.at(-1);
    const isKept = !text.isValue || at - text.start <= KEPT_TEXT;
    if (isKept && this.#texts.isTooManyWith(this.#bytes, text.start + 1, at)) {
      throw new JsonProblem(tooManyDifferent());
    }
    if (text.pieces.length > 0) {
      this.#addPiece(text, at);
      const value = text.pieces.join('');
      if (parent === undefined) this.#root = { value };
      else this.#attach(value, text.start, parent, at + 1);
    } else if (parent === undefined) {
      this.#root = { value: this.#parse(text.start, at + 1) };
    }
  }

  #begin(isList: boolean): void {
    const start = this.#position;
    this.#values++;
    if (this.#root !== undefined) throw this.#unexpected();
    if (this.#open.length >= MAX_DEPTH) throw new JsonProblem(`more than ${MAX_DEPTH} levels`);
    const unread = start + 1;
    this.#open.push({
      isList,
      start,
      value: undefined,
      count: 0,
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
    if (++this.#values > MAX_VALUES) throw new JsonProblem(tooManyValues());
    if (++container.count >= MAX_NAMES && !container.isList) throw new JsonProblem(tooManyNames());
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
      const { start } = container;
      if (parent === undefined) this.#root = { value: this.#parse(start, at + 1) };
      // Lists in lists may be small each and large together.
      else if (at - start >= this.#pieceBytes) {
        this.#attach(this.#parse(start, at + 1), start, parent, at + 1);
      }
      return;
    }
    if (container.isMemberRead) this.#assertBlank(container.unread, at);
    else this.#readPiece(container, at);
    if (parent === undefined) this.#root = { value: container.value };
    else this.#attach(container.value, container.start, parent, at + 1);
  }

  /** Adds a value that was read by itself to its parent, behind the members that come before it. */
  #attach(value: unknown, start: number, parent: Container, end: number): void {
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
    if (Array.isArray(piece)) {
      if (piece.length === 0) throw this.#unexpected();
      container.value ??= [];
      for (const item of piece) addMember(container.value, '', item);
      return;
    }
    const members = piece as PlainObject; // made of text in braces
    const names = Object.keys(members);
    if (names.length === 0) throw this.#unexpected();
    container.value ??= {};
    for (const name of names) addMember(container.value, name, members[name]);
  }

  #parse(start: number, end: number): unknown {
    return this.#parseText(this.#bytes.toString('utf8', start, end), start, end);
  }

  #parseText(text: string, start: number, end: number): unknown {
    this.#read += end - start;
    try {
      return JSON.parse(text);
    } catch (error) {
      const reason = error instanceof SyntaxError ? jsonProblem(error) : 'it is too large to be read';
      throw new JsonProblem(`${reason.replace(/ at position .*$/s, '')}, between bytes ${start} and ${end}`);
    }
  }

  #assertBlank(start: number, end: number): void {
    if (!BLANK.test(this.#bytes.toString('latin1', start, end))) throw this.#unexpected();
  }

  #unexpected(): JsonProblem {
    return new JsonProblem(`Unexpected token in JSON at byte ${this.#position}`);
  }
}

/** In bytes, of which a character has one at least. @param end where it ends, or how far it has been read */
function assertNameLength({ isValue, start }: OpenText, end: number): void {
  if (isValue || end - start - 1 <= MAX_NAME_LENGTH) return;
  throw new JsonProblem(`a name of more than ${MAX_NAME_LENGTH} bytes`);
}
