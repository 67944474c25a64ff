import type { SaxesTagPlain } from 'saxes';
import type { FunctionTable } from '../../../language/environment.js';
import { asCollection, onText, quoted } from '../../../language/functions/arguments.js';
import type { FunctionsIn } from '../../../language/functions/signatures.js';
import { assertTextLength, MAX_NAMES, tooManyNames } from '../../../language/values/size-limits.js';
import { isCollection, isMissing, toText } from '../../../language/values/value.js';
import { functionError, limitError } from '../../../shared/errors/iml-error.js';
import { ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { ParseResult } from '../../../shared/text.js';
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

const MAX_DEPTH = 256;

/** Names of XML 1.0, including a prefix. */
const NAME =
  /^[:A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD][:\-.0-9A-Z_a-z\u00B7-\u00D6\u00D8-\u00F6\u00F8-\u037D\u037F-\u1FFF\u200C-\u200D\u203F\u2040\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 cannot hold.
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/u;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/**
 * Writes the structure that `parseXml` returns: members are elements, list items repeated elements, `_attributes` and
 * `_value` attributes and text. Also accepts single values instead of lists. Null becomes an empty element, undefined
 * is dropped. Adds neither a declaration nor white space. [choice]
 *
 * @throws ImlError `IML_FUNCTION` without exactly one root, `IML_LIMIT` for a document too deep or too long
 */
export function writeXml(document: PlainObject): string {
  const roots = Object.keys(document).filter((name) => document[name] !== undefined);
  const [root] = roots;
  if (root === undefined || roots.length > 1 || toList(document[root]).length !== 1) {
    throw functionError('An XML document has one root element; expected a collection with one member.');
  }
  return elements(root, document[root], 1, { length: 0 });
}

/** Counts the characters of a document. */
interface Progress {
  length: number;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function elements(name: string, value: unknown, depth: number, progress: Progress): string {
  if (depth > MAX_DEPTH)
    throw limitError(`The XML is nested deeper than ${MAX_DEPTH} levels, or contains itself.`);
  checkName(name);
  let text = '';
  for (const item of toList(value)) {
    if (item === undefined || typeof item === 'function') continue;
    if (Array.isArray(item)) throw functionError(`'${name}' is a list in a list, which XML cannot write.`);
    text += isCollection(item)
      ? collectionElement(name, item, depth, progress)
      : tagged(name, '', escaped(toText(item), TEXT_MARKS, progress));
    grow(progress, 2 * name.length);
  }
  return text;
}

function collectionElement(name: string, value: PlainObject, depth: number, progress: Progress): string {
  let content = escaped(toText(value['_value']), TEXT_MARKS, progress);
  for (const member of Object.keys(value)) {
    if (member !== '_attributes' && member !== '_value')
      content += elements(member, value[member], depth + 1, progress);
  }
  return tagged(name, attributes(value['_attributes'], progress), content);
}

function tagged(name: string, attributeText: string, content: string): string {
  return content === '' ? `<${name}${attributeText}/>` : `<${name}${attributeText}>${content}</${name}>`;
}

function attributes(value: unknown, progress: Progress): string {
  if (isMissing(value)) return '';
  if (!isCollection(value)) throw functionError("'_attributes' is a collection of texts.");
  let text = '';
  for (const name of Object.keys(value)) {
    if (isMissing(value[name]) || typeof value[name] === 'function') continue;
    checkName(name);
    text += ` ${name}="${escaped(toText(value[name]), ATTRIBUTE_MARKS, progress)}"`;
    grow(progress, name.length);
  }
  return text;
}

const TEXT_MARKS = /[&<>\r]/g;
const ATTRIBUTE_MARKS = /[&<>"\t\n\r]/g;

function escaped(text: string, marks: RegExp, progress: Progress): string {
  if (FORBIDDEN.test(text)) throw functionError('The text contains a character that XML does not allow.');
  const written = text.replace(marks, (mark) => ESCAPES[mark] ?? mark);
  grow(progress, written.length);
  return written;
}

function grow(progress: Progress, length: number): void {
  progress.length += length;
  assertTextLength(progress.length);
}

function checkName(name: string): void {
  if (!NAME.test(name)) throw functionError(`${quoted(name)} cannot be the name of an element or attribute.`);
}

/**
 * XML functions of apps, with the structure of `response.type` xml. Not in `iml/`, which runs in browsers without an
 * XML parser. Published apps call both; their results are undocumented. [inf]
 */
export const XML_FUNCTIONS: FunctionTable = {
  parseXML: onText((text) => {
    const read = parseXml(text);
    if (!read.ok) throw functionError(`Invalid XML: ${read.message}`);
    return read.value;
  }),

  createXML: (_, value) => (isMissing(value) ? value : writeXml(asCollection(value))),
} satisfies FunctionsIn<'xml'>;
