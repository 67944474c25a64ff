import { printParseErrorCode, visit } from 'jsonc-parser';
import { SpecError } from '../../shared/errors/engine-error.js';
import { positionAt, type SourceLocation } from '../../shared/errors/source-location.js';
import { MAX_JSON_DEPTH } from './document.js';

/** Text and name of a file, for errors. */
export interface JsonSource {
  readonly text: string;
  readonly file: string;
}

/** Receives the parts of a JSON text in the order of the text. Offsets are 0-based UTF-16 units. */
export interface JsonSink {
  /** The name of the next member. */
  readonly key: (name: string, offset: number) => void;
  readonly enter: (kind: 'object' | 'array', offset: number) => void;
  readonly leave: () => void;
  readonly scalar: (value: unknown, offset: number) => void;
}

interface Open {
  readonly kind: 'object' | 'array';
  readonly offset: number;
}

/**
 * Parses a JSON text with comments and trailing commas, with the parser of the editor that Make apps are written in.
 * Stops at the first error.
 *
 * @throws SpecError (SPEC_JSON) with line, column and expectation
 */
export function walkJson(source: JsonSource, sink: JsonSink): void {
  const open: Open[] = [];
  /** True after an opening bracket and after a comma. */
  let expectsItem = true;
  const enter = (kind: Open['kind'], offset: number): void => {
    if (open.length >= MAX_JSON_DEPTH) {
      throw jsonError(source, offset, `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
    }
    open.push({ kind, offset });
    expectsItem = true;
    sink.enter(kind, offset);
  };
  // The parser closes a container before it reports that the bracket is missing.
  let closed: { readonly container: Open | undefined; readonly expectedItem: boolean } | undefined;
  const leave = (): void => {
    closed = { container: open.pop(), expectedItem: expectsItem };
    expectsItem = false;
    sink.leave();
  };
  visit(
    source.text,
    {
      onObjectBegin: (offset) => enter('object', offset),
      onArrayBegin: (offset) => enter('array', offset),
      onObjectEnd: leave,
      onArrayEnd: leave,
      onObjectProperty: (name, offset) => sink.key(name, offset),
      onLiteralValue: (value, offset) => {
        expectsItem = false;
        sink.scalar(value, offset);
      },
      onSeparator: (character) => {
        expectsItem = character === ',';
      },
      onError: (code, offset, length) => {
        const name = printParseErrorCode(code);
        const { container, expectedItem } =
          name === 'CloseBraceExpected' || name === 'CloseBracketExpected'
            ? { container: closed?.container, expectedItem: closed?.expectedItem ?? false }
            : { container: open.at(-1), expectedItem: expectsItem };
        throw explainError(source, { name, offset, length }, container, expectedItem);
      },
    },
    { allowTrailingComma: true },
  );
}

interface JsonProblem {
  /** Name of a `ParseErrorCode` of jsonc-parser. */
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

function explainError(
  source: JsonSource,
  { name, offset, length }: JsonProblem,
  container: Open | undefined,
  expectsItem: boolean,
): SpecError {
  const expected = (what: string): SpecError => expectedError(source, { what, offset, length }, container);
  const closer = container?.kind === 'object' ? '}' : ']';
  switch (name) {
    case 'PropertyNameExpected':
      return expected('a name in double quotes');
    case 'ValueExpected':
      return expected(expectsItem && container?.kind === 'object' ? 'a name in double quotes' : 'a value');
    case 'ColonExpected':
      return expected('":"');
    case 'CommaExpected':
      return expected(`"," or "${closer}"`);
    case 'CloseBraceExpected':
      return expected(expectsItem ? 'a name in double quotes' : '"," or "}"');
    case 'CloseBracketExpected':
      return expected(expectsItem ? 'a value' : '"," or "]"');
    case 'EndOfFileExpected':
      return expected('the end of the file');
    case 'UnexpectedEndOfComment':
      return jsonError(source, offset, 'A comment has no end: expected */.');
    case 'UnexpectedEndOfString':
      return jsonError(source, offset, 'A text has no end: expected " before the end of the line.');
    case 'InvalidUnicode':
    case 'InvalidEscapeCharacter':
    case 'InvalidCharacter':
      return stringError(source, offset, length);
    default:
      return unknownTokenError(source, offset, length);
  }
}

function expectedError(
  source: JsonSource,
  { what, offset, length }: { readonly what: string; readonly offset: number; readonly length: number },
  unclosed: Open | undefined,
): SpecError {
  const { text } = source;
  if (offset < text.length) {
    const found = showSource(text.slice(offset, offset + length));
    return jsonError(source, offset, `Expected ${what}, found ${found}.`);
  }
  const hint = unclosed
    ? ` The ${unclosed.kind} of line ${positionAt(text, unclosed.offset).line} is not closed.`
    : '';
  return jsonError(source, offset, `Expected ${what}, found the end of the file.${hint}`);
}

/** Creates a JSON syntax error with line and column of `offset`. */
function jsonError(source: JsonSource, offset: number, message: string): SpecError {
  const place: SourceLocation = { file: source.file, ...positionAt(source.text, offset) };
  const hint = isInsideExpression(source.text, offset) ? QUOTES_HINT : '';
  return new SpecError('SPEC_JSON', `${source.file}:${place.line}:${place.column}: ${message}${hint}`, {
    place,
  });
}

const QUOTES_HINT =
  ' A double quote inside {{ }} ended the text here: use single quotes in expressions, or write \\".';

/** Whether an expression is open on the line before `offset`, so that its double quote ended the JSON text. */
function isInsideExpression(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return line.lastIndexOf('{{') > line.lastIndexOf('}}') && line.endsWith('"');
}

/** Formats a piece of source for a message: short, on one line, invisible characters escaped. */
function showSource(text: string): string {
  const shown = text.length > 24 ? `${text.slice(0, 24)}...` : text;
  return shown.replace(/[^\u0021-\u007e]/g, (character) => {
    if (character === ' ') return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function stringError(source: JsonSource, offset: number, length: number): SpecError {
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

/** Returns the offset of the first character in a quoted text that JSON does not allow. */
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
