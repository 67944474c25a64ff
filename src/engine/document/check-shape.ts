import { isSpreadKey } from '../../language/syntax/grammar.js';
import { parseTemplate } from '../../language/syntax/parser.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import type { Document, Warn } from './document.js';
import { DOCUMENT_RULES, type DocumentKind } from './document-shapes.js';
import type { JsonType, KeyShape, Shape } from './shape.js';

/**
 * Checks a file of an app against the shape of its kind: reports unknown keys (`unknown-key`) and unusable types
 * (`wrong-type`). Skips free-form objects (body, qs, headers, temp, output, data). Published apps violate the schemas,
 * so these are warnings only. [app]
 */
export function checkShape(document: Document, kind: DocumentKind, warn: Warn): void {
  const rule = DOCUMENT_RULES[kind];
  // The editor writes an empty object for unused parts. [src]
  if (isPlainObject(document.value) && Object.keys(document.value).length === 0) return;
  checkValue({ document, warn }, rule, document.value, '');
  if (kind === 'parameters' && Array.isArray(document.value)) {
    checkParameters({ document, warn }, document.value);
  }
}

interface Check {
  readonly document: Document;
  readonly warn: Warn;
}

function checkValue(check: Check, rule: KeyShape, value: unknown, pointer: string): void {
  if (value === null || value === undefined) return;
  const type = findJsonType(value);
  if (rule.types && (type === 'null' || !rule.types.includes(type))) {
    const message = `${describePointer(pointer)} is ${withArticle(type)}; expected ${rule.types.map(withArticle).join(' or ')}.`;
    check.warn('wrong-type', message, () => check.document.locationOf(pointer));
    return;
  }
  if (rule.shape === undefined) return;
  if (isPlainObject(value)) checkMembers(check, rule.shape, value, pointer);
  else if (rule.each && Array.isArray(value)) {
    const item: KeyShape = { types: ['object'], shape: rule.shape };
    value.forEach((element, index) => {
      checkValue(check, item, element, childPointer(pointer, index));
    });
  }
}

function checkMembers(check: Check, shape: Shape, value: PlainObject, pointer: string): void {
  for (const [key, member] of Object.entries(value)) {
    const at = childPointer(pointer, key);
    const rule = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
    if (rule) checkValue(check, rule, member, at);
    else if (shape.pattern?.key.test(key)) checkValue(check, shape.pattern.rule, member, at);
    else if (key !== '$schema' && shape.isOpen !== true) {
      const hint = didYouMean(key, Object.keys(shape.keys));
      check.warn('unknown-key', `Unknown key "${shorten(key)}" in ${shape.title}.${hint}`, () =>
        check.document.locationOf(at, undefined, 'key'),
      );
    }
  }
}

/**
 * A parameter list holds objects, and texts that refer to an RPC. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters. [src]
 */
function checkParameters(check: Check, list: readonly unknown[]): void {
  list.forEach((parameter, index) => {
    const pointer = `/${index}`;
    if (typeof parameter === 'string') return;
    if (!isPlainObject(parameter)) {
      const message = `Parameter ${index + 1} is ${withArticle(findJsonType(parameter))}; expected an object or a text.`;
      check.warn('wrong-type', message, () => check.document.locationOf(pointer));
      return;
    }
    for (const key of ['name', 'type']) {
      const value = ownMember(parameter, key);
      if (value === undefined || typeof value === 'string') continue;
      const at = childPointer(pointer, key);
      const message = `"${key}" of parameter ${index + 1} is ${withArticle(findJsonType(value))}; expected a text.`;
      check.warn('wrong-type', message, () => check.document.locationOf(at));
    }
  });
}

function findJsonType(value: unknown): JsonType | 'null' {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'object';
  }
}

function withArticle(type: JsonType | 'null'): string {
  switch (type) {
    case 'string':
      return 'a text';
    case 'null':
      return 'null';
    case 'array':
    case 'object':
      return `an ${type}`;
    default:
      return `a ${type}`;
  }
}

function describePointer(pointer: string): string {
  return pointer === '' ? 'The file' : `"${shorten(pointer.slice(1).replaceAll('/', '.'))}"`;
}

function shorten(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}...` : name;
}

/**
 * Parses all templates of a file, including member names, and reports syntax errors (`syntax`) with line and column in
 * the file. The app still loads; evaluating such a template throws.
 */
export function checkTemplates(document: Document, warn: Warn): void {
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      checkTemplate(value, (offset) => document.locationOf(pointer, offset), warn);
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        visit(item, childPointer(pointer, index));
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const at = childPointer(pointer, key);
        if (!isSpreadKey(key)) checkTemplate(key, (offset) => document.locationOf(at, offset, 'key'), warn);
        visit(member, at);
      }
    }
  };
  visit(document.value, '');
}

function checkTemplate(source: string, locate: (offset: number) => SourceLocation, warn: Warn): void {
  if (!source.includes('{{')) return;
  try {
    parseTemplate(source);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    warn('syntax', error.message, () => locate(error.offset ?? 0));
  }
}
