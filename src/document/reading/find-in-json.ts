import type { Position } from '../../errors/source-location.js';

/** Where one value of a JSON text is written. Offsets are 0-based UTF-16 units. */
export interface JsonLocation {
  readonly offset: number;
  /** Offset of the member's name; undefined in an array and at the root. */
  readonly keyOffset: number | undefined;
  /** Whether the whole path led here, or only its beginning. */
  readonly exact: boolean;
}

/**
 * Finds the value at a path (unescaped steps of a JSON pointer). Of members with one name the last counts, as it does for the value.
 */
export function findInJson(index: JsonIndex, path: readonly string[]): JsonLocation {
  let at = 0;
  for (const step of path) {
    const next = index.findMember(at, step);
    if (next === undefined) return { ...index.locate(at), exact: false };
    at = next;
  }
  return { ...index.locate(at), exact: true };
}

/** Numbers of a list that grows, and room for more. */
function withRoom(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length + 16);
  larger.set(numbers);
  return larger;
}

const NO_KEY = -1;

/** Characters of an app's files to one value of them, about. */
const CHARACTERS_OF_VALUE = 24;

/** A text or name as it is written, its escapes in order. */
interface WrittenString {
  /** Characters that it stands for. */
  readonly length: number;
  /** Which of them are escaped. */
  readonly escaped: readonly number[];
  /** How much more room escapes take: none of them, the first, the first two, ... */
  readonly added: readonly number[];
}

function readString(text: string, start: number): WrittenString {
  const escaped: number[] = [];
  const added = [0];
  let length = 0;
  let more = 0;
  for (let offset = start + 1; offset < text.length && text[offset] !== '"'; length++) {
    const size = text[offset] !== '\\' ? 1 : text[offset + 1] === 'u' ? 6 : 2;
    offset += size;
    if (size === 1) continue;
    more += size - 1;
    escaped.push(length);
    added.push(more);
  }
  return { length, escaped, added };
}

/** How many of some numbers in order are below another. */
function countBelow(numbers: readonly number[], limit: number): number {
  let first = 0;
  for (let last = numbers.length; first < last; ) {
    const middle = (first + last) >> 1;
    if ((numbers[middle] ?? 0) < limit) first = middle + 1;
    else last = middle;
  }
  return first;
}

/** Texts whose escapes are remembered. */
const MAX_STRINGS = 16;

/** The members of an object by name, or the items of an array by place. */
type Members = ReadonlyMap<string, number> | Int32Array;

/**
 * Where the values of a JSON text are written, found in one reading of it: a run that tells of thousands of places must not read the file for
 * each. What lies in a value is listed when it is asked for.
 */
export class JsonIndex {
  private readonly text: string;
  /** Of each value, in the order of the text: where it begins, where its name does, and which value is the first behind it. */
  private starts: Int32Array;
  private keys: Int32Array;
  private behind: Int32Array;
  private readonly members = new Map<number, Members>();
  private lines: Int32Array | undefined;
  private readonly strings = new Map<number, WrittenString>();

  /** @param text One that `walkJson` accepts: nothing is checked once more. */
  constructor(text: string) {
    this.text = text;
    const expected = Math.ceil(text.length / CHARACTERS_OF_VALUE);
    this.starts = new Int32Array(expected);
    this.keys = new Int32Array(expected);
    this.behind = new Int32Array(expected);
    this.readValues();
  }

  /** Where a value is written; the first is the root. */
  locate(value: number): { readonly offset: number; readonly keyOffset: number | undefined } {
    const key = this.keys[value] ?? NO_KEY;
    return { offset: this.starts[value] ?? 0, keyOffset: key === NO_KEY ? undefined : key };
  }

  /** The value that a step leads to from another; undefined where it leads nowhere. */
  findMember(value: number, step: string): number | undefined {
    const members = this.members.get(value) ?? this.listMembers(value);
    if (members instanceof Int32Array)
      return String(Number(step)) === step ? members[Number(step)] : undefined;
    return members.get(step);
  }

  /** The same as `positionAt` of the text. */
  positionAt(offset: number): Position {
    this.lines ??= findLines(this.text);
    let first = 0;
    for (let last = this.lines.length - 1; first < last; ) {
      const middle = Math.ceil((first + last) / 2);
      if ((this.lines[middle] ?? 0) <= offset) first = middle;
      else last = middle - 1;
    }
    return { line: first + 1, column: Math.min(offset, this.text.length) - (this.lines[first] ?? 0) + 1 };
  }

  /**
   * The offset in the file of a character of the text or name that begins at `start`: escapes take more room than what they stand for. They are
   * looked for once, as whoever asks for a place of one text asks for many, of some texts by turns.
   */
  offsetInString(start: number, characterOffset: number): number {
    const { length, escaped, added } = this.strings.get(start) ?? this.addString(start);
    const character = Math.min(characterOffset, length);
    return start + 1 + character + (added[countBelow(escaped, character)] ?? 0);
  }

  private addString(start: number): WrittenString {
    if (this.strings.size >= MAX_STRINGS) this.strings.clear();
    const written = readString(this.text, start);
    this.strings.set(start, written);
    return written;
  }

  private listMembers(value: number): Members {
    const members =
      this.text[this.starts[value] ?? 0] === '{' ? this.listNames(value) : this.listItems(value);
    this.members.set(value, members);
    return members;
  }

  private listNames(value: number): ReadonlyMap<string, number> {
    const { text, keys, behind } = this;
    const names = new Map<string, number>();
    const end = behind[value] ?? 0;
    for (let member = value + 1; member < end; member = behind[member] ?? end) {
      const key = keys[member] ?? 0;
      const written = text.slice(key, endOfString(text, key));
      names.set(written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1), member);
    }
    return names;
  }

  private listItems(value: number): Int32Array {
    const { behind } = this;
    const end = behind[value] ?? 0;
    let items = new Int32Array(0);
    let count = 0;
    for (let item = value + 1; item < end; item = behind[item] ?? end) {
      if (count === items.length) items = withRoom(items);
      items[count++] = item;
    }
    return items.subarray(0, count);
  }

  private readValues(): void {
    const { text } = this;
    /** The containers that are open, and whether the innermost is an object. */
    const open: number[] = [];
    let inObject = false;
    let key = NO_KEY;
    let count = 0;
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (isBetween(code)) {
        at++;
        continue;
      }
      if (code === SLASH) {
        at = endOfComment(text, at);
        continue;
      }
      if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
        at++;
        this.behind[open.pop() ?? 0] = count;
        inObject = text.charCodeAt(this.starts[open.at(-1) ?? 0] ?? 0) === BRACE;
        continue;
      }
      const start = at;
      const isContainer = code === BRACE || code === BRACKET;
      if (code === QUOTE) at = endOfString(text, at);
      else at = isContainer ? at + 1 : endOfWord(text, at);
      if (inObject && key === NO_KEY) {
        key = start;
        continue;
      }
      if (count === this.starts.length) this.addRoom();
      this.starts[count] = start;
      this.keys[count] = key;
      this.behind[count] = count + 1;
      key = NO_KEY;
      if (isContainer) {
        open.push(count);
        inObject = code === BRACE;
      }
      count++;
    }
  }

  private addRoom(): void {
    this.starts = withRoom(this.starts);
    this.keys = withRoom(this.keys);
    this.behind = withRoom(this.behind);
  }
}

/** Where lines begin. */
function findLines(text: string): Int32Array {
  let lines = new Int32Array(16);
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== LINE_FEED && code !== RETURN) continue;
    if (code === RETURN && text.charCodeAt(at + 1) === LINE_FEED) continue;
    if (count === lines.length) lines = withRoom(lines);
    lines[count++] = at + 1;
  }
  return lines.subarray(0, count);
}

function endOfWord(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isBetween(code) || code === SLASH || code === CLOSING_BRACKET || code === CLOSING_BRACE) break;
  }
  return at;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, offset: number): boolean {
  let start = offset;
  while (text.charCodeAt(start - 1) === BACKSLASH) start--;
  return (offset - start) % 2 === 1;
}

function endOfComment(text: string, start: number): number {
  if (text.charCodeAt(start + 1) !== SLASH) {
    const end = text.indexOf('*/', start + 2);
    return end === -1 ? text.length : end + 2;
  }
  let at = start;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
  return at;
}

const QUOTE = 0x22;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** White space, commas, colons. */
function isBetween(code: number): boolean {
  return (
    code === 0x20 || code === 0x09 || code === LINE_FEED || code === RETURN || code === 0x2c || code === 0x3a
  );
}

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === RETURN;
}
