import { type Node, type ParseOptions, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import { isSpreadKey } from '../../language/syntax/grammar.js';
import { MAX_NAMES } from '../../language/values/size-limits.js';
import { RecentlyUsed } from '../../shared/bounded-cache.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import {
  childPointer,
  type Position,
  positionAt,
  type SourceLocation,
} from '../../shared/errors/source-location.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import { type Document, limitWarnings, MAX_JSON_DEPTH, type Warn } from './document.js';

/**
 * Reads a file of an app: JSON with comments, trailing commas and an optional byte order mark. Of duplicate names the
 * last counts, with the warning `duplicate-key`. Locations are 1-based and ignore the byte order mark.
 *
 * @param file path relative to the app folder, for locations and messages
 * @throws SpecError (SPEC_JSON) with line, column and expectation, also for too much nesting; SPEC_INVALID for an
 * object with too many
 *   names [app]
 */
export function readDocument(text: string, file: string, warn?: Warn): Document {
  const source: JsonSource = { text: text.startsWith('\uFEFF') ? text.slice(1) : text, file };
  const place = INDEXES.own();
  const index = (): JsonIndex => place(() => new JsonIndex(source.text));
  const offsetOf = (pointer: string, offset?: number, part: 'value' | 'key' = 'value'): number => {
    const location = findInJson(index(), splitPointer(pointer));
    const key = location.exact && part === 'key' ? location.keyOffset : undefined;
    const start = key ?? location.offset;
    const inText = offset !== undefined && location.exact && source.text[start] === '"';
    return inText ? index().offsetInString(start, offset) : start;
  };
  return {
    value: readValue(source, warn && limitWarnings(warn)),
    file,
    text: source.text,
    offsetOf,
    locationOf: (pointer, offset, part) => ({
      file,
      pointer,
      ...index().positionAt(offsetOf(pointer, offset, part)),
    }),
  };
}

/**
 * The four to eight files whose locations were used last. Locations are needed rarely, then many of one file. [choice]
 */
const INDEXES = new RecentlyUsed<JsonIndex>(8);

/** Splits a JSON pointer into unescaped steps. Source: RFC 6901 section 4. */
function splitPointer(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Container =
  | { readonly kind: 'object'; readonly value: PlainObject; key: string; names: number }
  | { readonly kind: 'array'; readonly value: unknown[] };

function readValue(source: JsonSource, warn: Warn | undefined): unknown {
  const open: Container[] = [];
  let root: unknown;

  const put = (value: unknown): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (parent.kind === 'array') parent.value.push(value);
    else setMember(parent.value, parent.key, value);
  };

  walkJson(source, {
    key: (name, offset) => {
      const parent = open.at(-1);
      if (parent?.kind !== 'object') return;
      parent.key = name;
      if (++parent.names > MAX_NAMES) throw tooWide(source, offset);
      if (warn && Object.hasOwn(parent.value, name)) {
        warn('duplicate-key', duplicateMessage(name), () => ({
          file: source.file,
          pointer: pointerTo(open),
          ...positionAt(source.text, offset),
        }));
      }
    },
    enter: (kind) => {
      const container: Container =
        kind === 'object' ? { kind, value: {}, key: '', names: 0 } : { kind, value: [] };
      put(container.value);
      open.push(container);
    },
    leave: () => void open.pop(),
    scalar: put,
  });
  return root;
}

function tooWide({ text, file }: JsonSource, offset: number): SpecError {
  const { line, column } = positionAt(text, offset);
  const message = `${file}:${line}:${column}: More than ${MAX_NAMES} names in one object.`;
  return new SpecError('SPEC_INVALID', message, { place: { file, line, column } });
}

function duplicateMessage(name: string): string {
  // Source:
  // https://developers.make.com/custom-apps-documentation/best-practices/input-parameters/processing-of-input-parameters:
  // several spread keys in one object cannot be distinguished. [inf]
  if (isSpreadKey(name)) return 'A second spread key "{{...}}" in one object; only the last one counts.';
  return `The member "${name}" is written twice; only the last one counts.`;
}

function pointerTo(open: readonly Container[]): string {
  let pointer = '';
  for (const container of open) {
    pointer = childPointer(pointer, container.kind === 'object' ? container.key : container.value.length - 1);
  }
  return pointer;
}

/** Offsets of a value in a JSON text, as 0-based UTF-16 units. */
export interface JsonLocation {
  readonly offset: number;
  /** Offset of the member's name; undefined in an array and at the root. */
  readonly keyOffset: number | undefined;
  /** Whether the whole path exists, or only its beginning. */
  readonly exact: boolean;
}

/**
 * Finds the value at a path (unescaped steps of a JSON pointer). Of duplicate names the last counts;
 * `findNodeAtLocation` of jsonc-parser uses the first and searches all members for each step.
 */
export function findInJson(index: JsonIndex, path: readonly string[]): JsonLocation {
  let node = index.root;
  let exact = true;
  for (const step of path) {
    const next = index.findMember(node, step);
    if (next === undefined) {
      exact = false;
      break;
    }
    node = next;
  }
  const { offset, parent } = node;
  return { offset, keyOffset: parent?.type === 'property' ? parent.offset : undefined, exact };
}

/** Returns the offsets of the characters of the string that starts at `start`, and of its end. */
function listCharacters(text: string, start: number): readonly number[] {
  const offsets = [start + 1];
  for (let offset = start + 1; offset < text.length && text[offset] !== '"'; ) {
    offset += text[offset] !== '\\' ? 1 : text[offset + 1] === 'u' ? 6 : 2;
    offsets.push(offset);
  }
  return offsets;
}

const DIALECT: ParseOptions = { allowTrailingComma: true };

/** The source locations of the values of a JSON text, which is parsed once for all of them. */
export class JsonIndex {
  readonly root: Node;
  private readonly text: string;
  private readonly members = new Map<Node, ReadonlyMap<string, Node>>();
  private lines: readonly number[] | undefined;
  /** Cached, because callers request many locations in one string. */
  private string: { readonly start: number; readonly offsets: readonly number[] } | undefined;

  /** @param text one that `walkJson` accepts */
  constructor(text: string) {
    this.text = text;
    this.root = parseTree(text, [], DIALECT) ?? { type: 'null', offset: 0, length: 0 };
  }

  /** Returns the member or item of a value, or undefined. */
  findMember(node: Node, step: string): Node | undefined {
    if (node.type === 'array')
      return String(Number(step)) === step ? node.children?.[Number(step)] : undefined;
    return node.type === 'object' ? this.membersOf(node).get(step) : undefined;
  }

  private membersOf(node: Node): ReadonlyMap<string, Node> {
    const known = this.members.get(node);
    if (known !== undefined) return known;
    const members = new Map<string, Node>();
    for (const { children: [name, value] = [] } of node.children ?? []) {
      if (value !== undefined) members.set(String(name?.value), value);
    }
    this.members.set(node, members);
    return members;
  }

  /** Same as `positionAt` of the text. */
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
   * Returns the file offset of a character in the string or name that starts at `start`. Escapes are longer than
   * their character.
   */
  offsetInString(start: number, characterOffset: number): number {
    if (this.string?.start !== start) this.string = { start, offsets: listCharacters(this.text, start) };
    const { offsets } = this.string;
    return offsets[Math.min(characterOffset, offsets.length - 1)] ?? start;
  }
}

/** Returns the offsets of line starts. */
function findLines(text: string): readonly number[] {
  const lines = [0];
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\r|\n/g)) lines.push(index + lineEnd.length);
  return lines;
}

/** Text and name of a file, for errors. */
interface JsonSource {
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
function walkJson(source: JsonSource, sink: JsonSink): void {
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
  return jsonError(
    source,
    at,
    `A string contains the control character ${found}; expected an escape sequence.`,
  );
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
  const hint = /^['\u2018\u2019\u201c\u201d]/.test(found)
    ? ' Texts and names are written in straight double quotes: ".'
    : '';
  return jsonError(source, offset, `Expected a JSON token, found ${showSource(found)}.${hint}`);
}
