import { quoted } from '../../../language/functions/arguments.js';
import { isMissing, toText } from '../../../language/values/coerce.js';
import { isCollection } from '../../../language/values/collection.js';
import { assertTextLength } from '../../../language/values/size-limits.js';
import { functionError, limitError } from '../../../shared/errors/iml-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';

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
    throw functionError('An XML document has one root element: a collection with one member is expected.');
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
    throw limitError(`The XML is nested deeper than ${MAX_DEPTH} levels, or holds itself.`);
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
  if (FORBIDDEN.test(text)) throw functionError('The text holds a character that XML cannot.');
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
