import type { SaxesTagPlain } from 'saxes';
import { MAX_NAMES, textChunks, tooManyNames } from '../../iml/values/size-limits.js';
import { type Parts, spend } from '../../iml/values/work.js';
import { ownMember, type PlainObject, setMember } from '../../util/plain-object.js';
import { DifferentTexts, tooManyDifferent } from './different-texts.js';
import { loadSaxes } from './load-saxes.js';
import { MAX_VALUES } from './name-limit.js';
import type { ParseResult } from './parse-json.js';
import { type MarkLimits, XmlMarks } from './xml-marks.js';

/** Ceilings of one document. What is beyond them was made to exhaust a reader. */
const XML_LIMITS: XmlLimits = Object.freeze({
  maxDepth: 256,
  maxNodes: 1_000_000,
  maxAttributes: 1_000,
  maxProlog: 1_048_576,
  maxInstruction: 1_048_576,
  maxMarks: MAX_VALUES,
});

/** To read a character, to cut a text at a mark, to make an element, and what an attribute adds to it. */
const STEPS_OF_CHARACTER = 0.8;
const STEPS_OF_MARK = 5;
const STEPS_OF_ELEMENT = 40;
const STEPS_OF_ATTRIBUTE = 20;

/** Characters before the first element that are read at a time. */
const PROLOG_STEP = 4096;

export interface XmlLimits extends MarkLimits {
  /** Elements inside one another. */
  readonly maxDepth: number;
  /** Elements of a document. */
  readonly maxNodes: number;
  /** Attributes of an element. */
  readonly maxAttributes: number;
  /** Characters before the first element. The parser keeps each mark of a document type by itself, some 20 bytes for one. */
  readonly maxProlog: number;
}

interface OpenNode {
  readonly name: string;
  readonly attributes: PlainObject | undefined;
  /** Lists of child values by element name, in order of first sight. */
  children: PlainObject | undefined;
  /** How many names those are. */
  names: number;
  text: string;
}

class XmlProblem extends Error {}

/**
 * Reads XML: every child is a list under its name, the root too; an element of text only is its text; one with
 * attributes is `{ _value, _attributes }`, `_value` absent where there is no text; text beside child elements is
 * `_value` unless it is white space. Names keep their prefix.
 * Entities are the five predefined and the numeric ones; a document type is skipped and declares nothing.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc-old], mixed
 * content [inf]
 */
export function parseXml(text: string, limits: XmlLimits = XML_LIMITS): ParseResult {
  return problemAsResult(() => {
    const reader = createXmlReader(limits);
    reader.write(text.trimStart());
    return reader.end();
  });
}

/** Characters that are read between two turns. */
const CHARACTERS_OF_PART = 16_384;

/** `parseXml` in parts, each of which is counted. @throws ImlError `IML_LIMIT` as `spend` */
export function* parseXmlInParts(text: string, limits: XmlLimits = XML_LIMITS): Parts<ParseResult> {
  const reader = createXmlReader(limits);
  for (const piece of textChunks(text.trimStart(), CHARACTERS_OF_PART)) {
    spend(STEPS_OF_CHARACTER * piece.length);
    const result = problemAsResult(() => reader.write(piece));
    if (!result.ok) return result;
    yield;
  }
  return problemAsResult(() => reader.end());
}

/** `parseXml` over the pieces of a large text. */
export async function parseXmlPieces(
  pieces: AsyncIterable<string>,
  limits: XmlLimits = XML_LIMITS,
): Promise<ParseResult> {
  const reader = createXmlReader(limits);
  let hasBegun = false;
  for await (const piece of pieces) {
    const text: string = hasBegun ? piece : piece.trimStart();
    hasBegun = hasBegun || text !== '';
    const result = problemAsResult(() => reader.write(text));
    if (!result.ok) return result;
  }
  return hasBegun ? problemAsResult(() => reader.end()) : { ok: true, value: undefined };
}

function problemAsResult(read: () => unknown): ParseResult {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof XmlProblem) return { ok: false, message: error.message };
    throw error;
  }
}

/** Takes a document in pieces, and gives it as a value in the end. */
interface XmlReader {
  readonly write: (piece: string) => void;
  readonly end: () => PlainObject;
}

function createXmlReader(limits: XmlLimits): XmlReader {
  const SaxesParser = loadSaxes();
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: OpenNode[] = [];
  const root: PlainObject = {};
  let nodes = 0;
  let attributes = 0;
  let written = 0;
  const marks = new XmlMarks(limits);
  /** Where the scan for marks begins. */
  let firstTagAt = 0;
  const names = new DifferentTexts();
  const countName = (name: string): void => {
    if (names.isTooManyWithText(name)) throw new XmlProblem(tooManyDifferent());
  };

  parser.on('error', (error) => {
    throw new XmlProblem(safeMessage(error.message));
  });
  parser.on('opentagstart', ({ name }) => {
    spend(STEPS_OF_ELEMENT);
    countName(name);
    attributes = 0;
    if (nodes === 0) firstTagAt = parser.position - 1;
    if (++nodes > limits.maxNodes) throw new XmlProblem(`more than ${limits.maxNodes} elements`);
    if (open.length >= limits.maxDepth) throw new XmlProblem(`more than ${limits.maxDepth} levels`);
  });
  parser.on('attribute', ({ name }) => {
    spend(STEPS_OF_ATTRIBUTE);
    countName(name);
    if (++attributes > limits.maxAttributes) {
      throw new XmlProblem(`more than ${limits.maxAttributes} attributes in an element`);
    }
  });
  parser.on('opentag', (tag) => open.push(openNode(tag)));
  const addText = (piece: string): void => {
    const node = open.at(-1);
    if (node !== undefined) node.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const node = open.pop();
    if (node !== undefined) closeNode(node, open.at(-1), root);
  });

  const check = (piece: string, from: number): void => {
    const before = marks.count;
    const problem = marks.take(piece, from);
    spend(STEPS_OF_MARK * (marks.count - before));
    if (problem !== undefined) throw new XmlProblem(problem);
  };
  /** In small steps, as marks are not told there: @returns how much was read */
  const readProlog = (piece: string): number => {
    let end = 0;
    while (nodes === 0 && end < piece.length) {
      const start = end;
      end = Math.min(start + PROLOG_STEP, piece.length);
      const step = piece.slice(start, end);
      parser.write(step);
      if (nodes > 0) check(step, firstTagAt - written);
      written += step.length;
      if (nodes === 0 && written > limits.maxProlog) {
        throw new XmlProblem(`more than ${limits.maxProlog} characters before an element`);
      }
    }
    return end;
  };
  const lines = new LineEnds();

  return {
    write: (raw) => {
      const piece = lines.take(raw);
      const rest = nodes === 0 ? piece.slice(readProlog(piece)) : piece;
      check(rest, 0);
      if (rest !== '') parser.write(rest);
    },
    end: () => {
      parser.write(lines.end());
      parser.close();
      return root;
    },
  };
}

/** A carriage return is part of a line end, or is one. Source: https://www.w3.org/TR/xml/#sec-line-ends */
class LineEnds {
  #isOpen = false;

  take(piece: string): string {
    const text = this.#isOpen ? `\r${piece}` : piece;
    this.#isOpen = text.endsWith('\r');
    const known = this.#isOpen ? text.slice(0, -1) : text;
    return known.includes('\r') ? known.replaceAll(/\r\n?/g, '\n') : known;
  }

  end(): string {
    return this.#isOpen ? '\n' : '';
  }
}

function openNode(tag: SaxesTagPlain): OpenNode {
  const { name, attributes } = tag;
  const hasAttributes = Object.keys(attributes).length > 0;
  return {
    name,
    attributes: hasAttributes ? copyAttributes(attributes) : undefined,
    children: undefined,
    names: 0,
    text: '',
  };
}

function copyAttributes(attributes: Readonly<Record<string, string>>): PlainObject {
  const copy: PlainObject = {};
  for (const [name, value] of Object.entries(attributes)) setMember(copy, name, value);
  return copy;
}

function closeNode(node: OpenNode, parent: OpenNode | undefined, root: PlainObject): void {
  const value = nodeValue(node);
  if (parent === undefined) {
    setMember(root, node.name, [value]);
    return;
  }
  // Filled as the children come: to copy a million of them at the end would hold up everybody else.
  parent.children ??= {};
  const siblings = ownMember(parent.children, node.name);
  if (Array.isArray(siblings)) siblings.push(value);
  else if (++parent.names > MAX_NAMES) throw new XmlProblem(tooManyNames());
  else setMember(parent.children, node.name, [value]);
}

function nodeValue({ attributes, children, text }: OpenNode): unknown {
  if (attributes === undefined && children === undefined) return text;
  const value: PlainObject = children ?? {};
  const isText = children === undefined ? text !== '' : text.trim() !== '';
  if (isText) value['_value'] = text;
  if (attributes !== undefined) value['_attributes'] = attributes;
  return value;
}

/** Line and column stay; the parser quotes names of elements only, and those are cut short. */
function safeMessage(message: string): string {
  return message.length > 120 ? `${message.slice(0, 120)}…` : message;
}
