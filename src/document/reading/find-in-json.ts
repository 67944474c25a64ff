import type { JsonSource } from './json-tokens.js';

/** Where one value of a JSON text is written. Offsets are 0-based UTF-16 units. */
export interface JsonLocation {
  readonly offset: number;
  /** Offset of the member's name; undefined in an array and at the root. */
  readonly keyOffset: number | undefined;
  /** Whether the whole path led here, or only its beginning. */
  readonly exact: boolean;
}

/**
 * Finds the value at a path (unescaped steps of a JSON pointer) by reading the text again:
 * places are asked for seldom, and a table of all of them would outweigh the app.
 * Of members with one name the last counts, as it does for the value.
 *
 * @param source A text that `walkJson` accepts: nothing is checked once more.
 */
export function findInJson({ text }: JsonSource, path: readonly string[]): JsonLocation {
  return new Search(text, path).follow(0, undefined);
}

/** Reads a text of some MB in the time of a few of its tokens: what does not lie on the path is only run over. */
class Search {
  private readonly text: string;
  private readonly path: readonly string[];
  private at = 0;

  constructor(text: string, path: readonly string[]) {
    this.text = text;
    this.path = path;
  }

  /** Reads the value that begins next, to which so many steps of the path lead. The path bounds how deep this goes. */
  follow(steps: number, keyOffset: number | undefined): JsonLocation {
    const first = this.toToken();
    const wanted = this.path[steps];
    let found: JsonLocation = { offset: this.at, keyOffset, exact: wanted === undefined };
    if (wanted === undefined || (first !== '{' && first !== '[')) {
      this.skipValue();
      return found;
    }
    this.at++;
    for (let index = 0; ; index++) {
      const next = this.toToken();
      if (next === '}' || next === ']' || next === '') {
        this.at++;
        return found;
      }
      const nameOffset = first === '{' ? this.at : undefined;
      const name = first === '{' ? this.readName() : String(index);
      if (name === wanted) found = this.follow(steps + 1, nameOffset);
      else this.skipValue();
    }
  }

  /** Goes to where the next value, name or bracket begins; the empty text at the end. */
  private toToken(): string {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === SLASH) this.skipComment();
      else if (BETWEEN.has(code)) this.at++;
      else return this.text.charAt(this.at);
    }
  }

  private readName(): string {
    const start = this.at;
    this.skipString();
    const written = this.text.slice(start, this.at);
    return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
  }

  private skipValue(): void {
    const first = this.toToken();
    if (first === '"') this.skipString();
    else if (first === '{' || first === '[') this.skipContainer();
    else while (this.at < this.text.length && !ENDS_SCALAR.has(this.text.charCodeAt(this.at))) this.at++;
  }

  private skipContainer(): void {
    let depth = 0;
    do {
      switch (this.text.charCodeAt(this.at)) {
        case QUOTE:
          this.skipString();
          continue;
        case SLASH:
          this.skipComment();
          continue;
        case BRACE:
        case BRACKET:
          depth++;
          break;
        case CLOSING_BRACE:
        case CLOSING_BRACKET:
          depth--;
          break;
        default:
      }
      this.at++;
    } while (depth > 0 && this.at < this.text.length);
  }

  private skipString(): void {
    let end = this.text.indexOf('"', this.at + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end === -1 ? this.text.length : end + 1;
  }

  private isEscaped(offset: number): boolean {
    let start = offset;
    while (this.text.charCodeAt(start - 1) === BACKSLASH) start--;
    return (offset - start) % 2 === 1;
  }

  private skipComment(): void {
    if (this.text.charCodeAt(this.at + 1) === SLASH) {
      while (this.at < this.text.length && !isLineEnd(this.text.charCodeAt(this.at))) this.at++;
      return;
    }
    const end = this.text.indexOf('*/', this.at + 2);
    this.at = end === -1 ? this.text.length : end + 2;
  }
}

const QUOTE = 0x22;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;

/** White space, commas, colons. */
const BETWEEN: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x3a]);

const ENDS_SCALAR: ReadonlySet<number> = new Set([...BETWEEN, SLASH, CLOSING_BRACKET, CLOSING_BRACE]);

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

/** The offset in the file of a character of a text: escapes of the written text take more room than what they stand for. */
export function offsetInString(text: string, stringOffset: number, characterOffset: number): number {
  let raw = stringOffset + 1;
  for (let seen = 0; seen < characterOffset && text[raw] !== '"' && raw < text.length; seen++) {
    if (text[raw] === '\\') raw += text[raw + 1] === 'u' ? 6 : 2;
    else raw++;
  }
  return raw;
}
