import type { ErrorCode } from '../../shared/errors/codes.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { ESCAPES, LONG_OPERATORS, OPERATOR_STARTS } from './grammar.js';

export type TokenKind =
  | 'string'
  | 'number'
  | 'name'
  | 'quoted'
  | 'module'
  | 'operator'
  | 'punctuator'
  | 'end';

const BRACES =
  'Unexpected brace inside an expression. An expression starts with {{, ends with }}, and nests only as an index. IML has no object literals.';

const BACKTICKS = ' A name with special characters needs backticks: `@type`.';

/** Hints by unexpected character. */
const HINTS: Readonly<Record<string, string>> = {
  '?': ' IML has no operator ? :. Write if(condition; then; else).',
  '@': BACKTICKS,
  '#': BACKTICKS,
  ':': BACKTICKS,
};

const WHITE_SPACE = /\s/;

/**
 * A cursor over one expression of a template: `advance()` reads the next token into its fields.
 * The token `end` is the closing braces; the lexer never reads past them.
 */
export class Lexer {
  readonly source: string;
  kind: TokenKind = 'end';
  /** A decoded string, a name, digits, a punctuator, or an operator with aliases replaced. */
  text = '';
  /** Value of a number. */
  number = 0;
  /** Offset of the token's first character. */
  start = 0;
  /** Offset after the token's last character. The next token starts here or later. */
  end: number;

  constructor(source: string, offset: number) {
    this.source = source;
    this.end = offset;
  }

  /** Continues at another offset of the same template. */
  moveTo(offset: number): void {
    this.end = offset;
  }

  advance(): void {
    const code = this.skipWhiteSpace();
    this.start = this.end;
    if (isNameStart(this.source, this.end, code)) this.readName();
    else if (isDigit(code)) this.readNumber();
    else if (code === 0x22 || code === 0x27) this.readString(code);
    else if (code === 0x60) this.readQuotedName();
    else this.readSymbol(code);
  }

  /** Reads the token after a dot: a name, a quoted name or the digits of an item number. */
  advanceSegment(): void {
    const code = this.skipWhiteSpace();
    if (!isDigit(code)) return this.advance();
    this.start = this.end;
    this.take('number', this.digitsFrom(this.end));
  }

  /** Returns the code of the next token's first character without reading the token; NaN at the end of the text. */
  peek(): number {
    return this.skipWhiteSpace();
  }

  fail(message: string, offset: number = this.start, code: ErrorCode = 'IML_SYNTAX'): ImlError {
    return new ImlError(code, message, { kind: 'syntax', source: this.source, offset });
  }

  /** Creates the error of an unexpected token. */
  failUnexpected(expected: string, hint = ''): ImlError {
    if (this.kind === 'punctuator' && this.text === '{{') return this.fail(BRACES);
    return this.fail(`Expected ${expected} before ${this.describe()}.${hint}`);
  }

  /** Describes the current token for a message. */
  describe(): string {
    if (this.kind === 'end') return 'the end of the expression';
    const text = this.source.slice(this.start, this.end);
    return text.length > 40 ? `${text.slice(0, 40)}...` : text;
  }

  private take(kind: TokenKind, end: number): void {
    this.kind = kind;
    this.text = this.source.slice(this.start, end);
    this.end = end;
  }

  /** Moves to the next character that is not white space and returns its code; NaN at the end of the text. */
  private skipWhiteSpace(): number {
    const { source } = this;
    for (let offset = this.end; ; offset++) {
      const code = source.charCodeAt(offset);
      const isSpace =
        code === 0x20 ||
        (code >= 0x09 && code <= 0x0d) ||
        (code > 0x7f && WHITE_SPACE.test(source.charAt(offset)));
      if (isSpace) continue;
      this.end = offset;
      return code;
    }
  }

  private readName(): void {
    const { source, start } = this;
    let hash = 0;
    let offset = start;
    let code = source.charCodeAt(offset);
    while (code < 0x80 && NAME_PARTS[code] === 1) {
      hash = hashWith(hash, code);
      code = source.charCodeAt(++offset);
    }
    if (code > 0x7f && isNamePart(source, offset)) return this.readUnicodeName(offset);
    this.kind = 'name';
    this.text = nameIn(source, start, offset, hash);
    this.end = offset;
  }

  /** Reads a name with letters beyond ASCII, the first of them at `from`. */
  private readUnicodeName(from: number): void {
    const { source } = this;
    let offset = from;
    while (isNamePart(source, offset)) offset += widthAt(source, offset);
    this.take('name', offset);
  }

  /** number = digits [ "." digits ] ; digits before a dot and a name are a module number (`1.email`). */
  private readNumber(): void {
    const { source } = this;
    let offset = this.digitsFrom(this.end);
    if (source.charCodeAt(offset) === 0x2e) {
      const next = source.charCodeAt(offset + 1);
      if (next === 0x60 || isNameStart(source, offset + 1, next)) return this.take('module', offset);
      if (isDigit(next)) offset = this.digitsFrom(offset + 1);
    }
    this.take('number', offset);
    this.number = Number(this.text);
    if (!Number.isFinite(this.number)) throw this.fail('This number is too large.');
  }

  private digitsFrom(offset: number): number {
    let end = offset;
    while (isDigit(this.source.charCodeAt(end))) end++;
    return end;
  }

  private readString(quote: number): void {
    const { source } = this;
    let text = '';
    let from = this.end + 1;
    let offset = from;
    for (;;) {
      const code = source.charCodeAt(offset);
      if (Number.isNaN(code))
        throw this.fail('This text has no closing quote.', this.start, 'IML_UNTERMINATED_STRING');
      if (code === quote) break;
      if (code === 0x5c) {
        const decoded = ESCAPES.get(source.charAt(offset + 1));
        if (decoded !== undefined) {
          text += source.slice(from, offset) + decoded;
          from = offset + 2;
        }
        // A backslash before any other character is kept, so that '/\d+/' is a pattern for `replace`.
        offset += 2;
      } else offset++;
    }
    this.kind = 'string';
    this.text = text + source.slice(from, offset);
    this.end = offset + 1;
  }

  private readQuotedName(): void {
    const close = this.source.indexOf('`', this.start + 1);
    if (close < 0)
      throw this.fail('This quoted name has no closing backtick.', this.start, 'IML_UNTERMINATED_STRING');
    this.kind = 'quoted';
    this.text = this.source.slice(this.start + 1, close);
    this.end = close + 1;
  }

  private readSymbol(code: number): void {
    const { source, start } = this;
    if (code === 0x7d && source.charCodeAt(start + 1) === 0x7d) {
      this.kind = 'end';
      this.end = start + 2;
      return;
    }
    if (code === 0x7b && source.charCodeAt(start + 1) === 0x7b) {
      this.kind = 'punctuator';
      this.text = '{{';
      this.end = start + 2;
      return;
    }
    const symbol = code < 0x80 ? SYMBOLS[code] : undefined;
    if (symbol === undefined) throw this.unexpectedCharacter(code);
    this.kind = symbol.kind;
    this.text = symbol.text;
    this.end = start + 1;
    if (symbol.kind === 'operator') this.readRestOfOperator(code);
  }

  /** Extends an operator to its longest spelling. */
  private readRestOfOperator(code: number): void {
    const { source, start } = this;
    const next = source.charCodeAt(start + 1);
    if (next !== 0x3d && next !== code) return;
    const found = LONG_OPERATORS.find(([spelling]) => source.startsWith(spelling, start));
    if (found === undefined) return;
    const [spelling, operator] = found;
    this.text = operator;
    this.end = start + spelling.length;
  }

  private unexpectedCharacter(code: number): ImlError {
    if (Number.isNaN(code)) {
      return this.fail('This expression has no closing }}.', this.start, 'IML_UNTERMINATED_EXPRESSION');
    }
    const character = String.fromCodePoint(this.source.codePointAt(this.start) ?? code);
    if (character === '{') {
      return this.fail(BRACES);
    }
    if ('\u2018\u2019\u201c\u201d'.includes(character)) {
      return this.fail(`The quote ${character} does not delimit text; write ' or ".`);
    }
    if (character === '}') return this.fail('Expected two closing braces: one "}" is missing here.');
    const hint = HINTS[character] ?? '';
    return this.fail(`Unexpected character ${JSON.stringify(character)}.${hint}`);
  }
}

interface SymbolToken {
  readonly kind: 'operator' | 'punctuator';
  readonly text: string;
}

/** Punctuators and operators by the code of their first character. */
const SYMBOLS: readonly (SymbolToken | undefined)[] = Array.from({ length: 0x80 }, (_, code) => {
  const text = String.fromCharCode(code);
  if ('()[].,;'.includes(text)) return { kind: 'punctuator', text };
  return OPERATOR_STARTS.includes(text) ? { kind: 'operator', text } : undefined;
});

/** 1 for the ASCII characters that may start or continue a name. */
const NAME_STARTS = Uint8Array.from({ length: 0x80 }, (_, code) => flagWhere(/[A-Za-z_$]/, code));
const NAME_PARTS = Uint8Array.from({ length: 0x80 }, (_, code) => flagWhere(/[A-Za-z0-9_$]/, code));

function flagWhere(pattern: RegExp, code: number): number {
  return pattern.test(String.fromCharCode(code)) ? 1 : 0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNameStart(source: string, offset: number, code: number): boolean {
  return code < 0x80 ? NAME_STARTS[code] === 1 : /\p{L}/u.test(characterAt(source, offset));
}

function isNamePart(source: string, offset: number): boolean {
  const code = source.charCodeAt(offset);
  if (code < 0x80) return NAME_PARTS[code] === 1;
  // Not a constant: V8 compiles the Unicode sets slowly, and few names need them.
  return /[\p{L}\p{M}\p{Nd}]/u.test(characterAt(source, offset));
}

function characterAt(source: string, offset: number): string {
  const point = source.codePointAt(offset);
  return point === undefined ? '' : String.fromCodePoint(point);
}

/** UTF-16 units of the character at `offset`. */
function widthAt(source: string, offset: number): number {
  return (source.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** Slots of the name cache, a power of two. The hash of a name selects its slot. */
const SLOTS = 1024;

/** A longer slice would keep its whole template in memory. */
const MAX_CACHED_LENGTH = 12;

const names: string[] = new Array<string>(SLOTS).fill('');

/**
 * Returns a slice of a template as a name. Most templates of an app use the same names: a cached name needs no new
 * string, and V8 has already internalized it as a property name.
 */
function nameIn(source: string, start: number, end: number, hash: number): string {
  const slot = hash & (SLOTS - 1);
  const cached = names[slot] ?? '';
  if (cached.length === end - start && source.startsWith(cached, start)) return cached;
  const name = source.slice(start, end);
  if (name.length <= MAX_CACHED_LENGTH) names[slot] = name;
  return name;
}

/** Adds one character to the hash of a name. */
function hashWith(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x0100_0193);
}
