import type { SaxesTagPlain } from 'saxes';
import { MAX_NAMES, tooManyNames } from '../../../language/values/size-limits.js';
import { ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { ParseResult } from './json-text.js';
import { loadSaxes } from './load-saxes.js';

/** Limits of a document, against documents made to exhaust a reader. */
const XML_LIMITS: XmlLimits = Object.freeze({
  maxDepth: 256,
  maxNodes: 1_000_000,
  maxAttributes: 1_000,
  maxProlog: 1_048_576,
});

/** Number of characters per parser call. */
const PIECE_LENGTH = 65_536;

export interface XmlLimits {
  /** Nesting depth of elements. */
  readonly maxDepth: number;
  /** Number of elements. */
  readonly maxNodes: number;
  /** Number of attributes per element. */
  readonly maxAttributes: number;
  /** Number of characters before the first element. The parser stores a document type character by character. */
  readonly maxProlog: number;
}

interface OpenNode {
  readonly name: string;
  readonly attributes: PlainObject | undefined;
  /** Child values by element name, in order of appearance. */
  children: PlainObject | undefined;
  /** Number of names in `children`. */
  names: number;
  text: string;
}

class XmlProblem extends Error {}

/**
 * Parses XML: every child is a list under its name, including the root; an element with text only is its text; one
 * with attributes is `{ _value, _attributes }`, without `_value` if there is no text; text beside child elements is
 * `_value` unless it is white space. Names keep their prefix. Supports the five predefined and numeric entities; skips
 * a document type without declaring its entities. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc-old], mixed
 * content [inf]
 */
export function parseXml(text: string, limits: XmlLimits = XML_LIMITS): ParseResult {
  try {
    return { ok: true, value: readXml(text.trimStart(), limits) };
  } catch (error) {
    if (error instanceof XmlProblem) return { ok: false, message: error.message };
    throw error;
  }
}

function readXml(text: string, limits: XmlLimits): PlainObject {
  const SaxesParser = loadSaxes();
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: OpenNode[] = [];
  const root: PlainObject = {};
  let nodes = 0;
  let attributes = 0;

  parser.on('error', (error) => {
    throw new XmlProblem(safeMessage(error.message));
  });
  parser.on('opentagstart', () => {
    attributes = 0;
    if (++nodes > limits.maxNodes) throw new XmlProblem(`more than ${limits.maxNodes} elements`);
    if (open.length >= limits.maxDepth) throw new XmlProblem(`more than ${limits.maxDepth} levels`);
  });
  parser.on('attribute', () => {
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

  for (let start = 0; start < text.length; start += PIECE_LENGTH) {
    parser.write(text.slice(start, start + PIECE_LENGTH));
    if (nodes === 0 && start > limits.maxProlog) {
      throw new XmlProblem(`more than ${limits.maxProlog} characters before an element`);
    }
  }
  parser.close();
  return root;
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

/** Keeps line and column. The parser quotes element names only; long ones are shortened. */
function safeMessage(message: string): string {
  return message.length > 120 ? `${message.slice(0, 120)}…` : message;
}
