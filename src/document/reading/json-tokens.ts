import { createScanner } from 'jsonc-parser';
import { SpecError } from '../../errors/engine-error.js';
import { positionAt, type SourceLocation } from '../../errors/source-location.js';

/** `end` is the end of the file; a punctuator is its own kind. */
export type JsonTokenKind = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'number' | 'word' | 'end';

export interface JsonToken {
  readonly kind: JsonTokenKind;
  /** 0-based UTF-16 offset of the first character. */
  readonly offset: number;
  readonly length: number;
  /** What a string, number or word (`true`, `false`, `null`) stands for; undefined for the rest. */
  readonly value: unknown;
}

/** The text of one file, as errors need it. */
export interface JsonSource {
  readonly text: string;
  readonly file: string;
}

/**
 * The numbers of jsonc-parser's `SyntaxKind` and `ScanError`, which it declares as const enums:
 * those exist for its own compiler run only.
 */
const PUNCTUATION: Readonly<Record<number, JsonTokenKind>> = {
  1: '{',
  2: '}',
  3: '[',
  4: ']',
  5: ',',
  6: ':',
  17: 'end',
};
const WORDS: ReadonlyMap<number, unknown> = new Map<number, unknown>([
  [7, null],
  [8, true],
  [9, false],
]);
const STRING = 10;
const NUMBER = 11;
const BLOCK_COMMENT = 13;
const FIRST_TRIVIA = 12;
const LAST_TRIVIA = 15;
const NO_ERROR = 0;
const UNFINISHED_STRING = 2;

/**
 * The tokens of a JSON text with comments, one at a time; white space and comments are left out.
 * The dialect is that of the editor Make apps are written in, as the scanner is the editor's.
 *
 * @throws SpecError SPEC_JSON at what is no token.
 */
export function createJsonTokens(source: JsonSource): () => JsonToken {
  const scanner = createScanner(source.text, false);
  return () => {
    for (;;) {
      const kind: number = scanner.scan();
      const offset = scanner.getTokenOffset();
      const length = scanner.getTokenLength();
      const error: number = scanner.getTokenError();
      if (kind >= FIRST_TRIVIA && kind <= LAST_TRIVIA) {
        if (kind === BLOCK_COMMENT && error !== NO_ERROR) {
          throw jsonError(source, offset, 'A comment has no end: expected */.');
        }
        continue;
      }
      const punctuation = PUNCTUATION[kind];
      if (punctuation !== undefined) return { kind: punctuation, offset, length, value: undefined };
      if (WORDS.has(kind)) return { kind: 'word', offset, length, value: WORDS.get(kind) };
      if (kind === STRING) {
        if (error !== NO_ERROR) throw stringError(source, offset, length, error);
        return { kind: 'string', offset, length, value: scanner.getTokenValue() };
      }
      if (kind === NUMBER && error === NO_ERROR) {
        return { kind: 'number', offset, length, value: Number(scanner.getTokenValue()) };
      }
      throw unknownTokenError(source, offset, length);
    }
  };
}

/** The error of a JSON text, with the line and column of `offset`. */
export function jsonError(source: JsonSource, offset: number, message: string): SpecError {
  const place: SourceLocation = { file: source.file, ...positionAt(source.text, offset) };
  const hint = isInsideExpression(source.text, offset) ? QUOTES_HINT : '';
  return new SpecError('SPEC_JSON', `${source.file}:${place.line}:${place.column}: ${message}${hint}`, {
    place,
  });
}

const QUOTES_HINT =
  ' A double quote inside {{ }} ended the text here: use single quotes in expressions, or write \\".';

/** Whether an expression is open in the line before `offset`: then a double quote of the expression ended the JSON text. */
function isInsideExpression(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return line.lastIndexOf('{{') > line.lastIndexOf('}}') && line.endsWith('"');
}

/** A piece of source as a message may show it: short, on one line, invisible characters escaped. */
export function showSource(text: string): string {
  const shown = text.length > 24 ? `${text.slice(0, 24)}...` : text;
  return shown.replace(/[^\u0021-\u007e]/g, (character) => {
    if (character === ' ') return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function stringError(source: JsonSource, offset: number, length: number, error: number): SpecError {
  if (error === UNFINISHED_STRING) {
    return jsonError(source, offset, 'A text has no end: expected " before the end of the line.');
  }
  const at = offset + firstBadCharacter(source.text.slice(offset, offset + length));
  if (source.text[at] === '\\') {
    const found = showSource(source.text.slice(at, at + (source.text[at + 1] === 'u' ? 6 : 2)));
    return jsonError(
      source,
      at,
      `Unknown escape ${found}: expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.`,
    );
  }
  const found = showSource(source.text.charAt(at));
  return jsonError(source, at, `A text holds the control character ${found}: expected it escaped.`);
}

/** The offset in a quoted text of the first character that JSON does not allow there. */
function firstBadCharacter(quoted: string): number {
  const withoutEscapes = quoted.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g, (written) =>
    '-'.repeat(written.length),
  );
  for (let index = 0; index < withoutEscapes.length; index++) {
    const code = withoutEscapes.charCodeAt(index);
    if (code < 0x20 || code === 0x5c) return index;
  }
  return 0;
}

function unknownTokenError(source: JsonSource, offset: number, length: number): SpecError {
  const found = source.text.slice(offset, offset + Math.max(1, length));
  const hint = found.startsWith("'") ? ' Texts and names are written in double quotes.' : '';
  return jsonError(source, offset, `Expected a JSON token, found ${showSource(found)}.${hint}`);
}
