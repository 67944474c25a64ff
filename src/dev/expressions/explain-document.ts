import { walkExpression } from '../../check/subject/walk-expression.js';
import type { Document } from '../../document/reading/document.js';
import { readDocument } from '../../document/reading/jsonc.js';
import { EngineError } from '../../errors/engine-error.js';
import { childPointer } from '../../errors/place.js';
import { compileTemplate } from '../../iml/compile/compile-template.js';
import type { Environment, FunctionTable, Scope } from '../../iml/environment/environment.js';
import type { Expression } from '../../iml/syntax/ast.js';
import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { ExplainedDocument, ExplainedExpression, ShownItems, ShownValue } from '../protocol.js';
import { presentThrown, presentValue } from './present-value.js';
import type { Moment, Names } from './scope-at.js';

/** What expressions are evaluated with. */
export interface Language {
  readonly environment: Environment;
  readonly functions: FunctionTable;
}

/** A text of the app as it ran. */
export interface ExplainedText {
  readonly role: 'base' | 'communication';
  readonly file: string | undefined;
  readonly text: string;
}

export interface ExplainOptions {
  readonly moment: Moment;
  /** 0-based index of the item that `item` is. */
  readonly item: number;
  readonly language: Language;
  /** The other texts of the run: what is iterated over may stand in the base. */
  readonly texts: readonly ExplainedText[];
}

/** Expressions of one text that are evaluated, and inner parts of one; more are more than somebody reads. */
const MAX_EXPRESSIONS = 400;
const MAX_PARTS = 24;

/**
 * The text of an app with the value each of its expressions has at a moment of a run: those of the request as it was
 * asked, those of the response as its answer left things, those of `pagination` as the next page was asked for.
 */
export function explainDocument(
  text: ExplainedText,
  options: ExplainOptions,
): Omit<ExplainedDocument, 'findings'> {
  const document = tryRead(text);
  if (document === undefined) return { ...text, expressions: [] };
  const namesFor = createNamesFor(text, options);
  const expressions: ExplainedExpression[] = [];
  for (const { pointer, value } of listTemplates(document.value, '')) {
    const names = namesFor(pointer);
    const { parts } = safeTemplate(value);
    for (const part of parts) {
      if (typeof part === 'string' || names === undefined || expressions.length >= MAX_EXPRESSIONS) continue;
      expressions.push(explain(part, { document, pointer, value, names, language: options.language }));
    }
  }
  return { role: text.role, file: text.file, text: document.text ?? text.text, expressions };
}

/** Evaluates one template at a moment. */
export function evaluateAt(template: string, names: Names, { environment, functions }: Language): ShownValue {
  try {
    return presentValue(compileTemplate(template, { environment, functions, pointer: '' })(names));
  } catch (error) {
    return presentThrown(error);
  }
}

function tryRead({ text, file }: ExplainedText): Document | undefined {
  try {
    return readDocument(text, file ?? 'app');
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

interface WrittenTemplate {
  readonly pointer: string;
  readonly value: string;
}

function* listTemplates(value: unknown, pointer: string): Generator<WrittenTemplate> {
  if (typeof value === 'string') {
    if (value.includes('{{')) yield { pointer, value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* listTemplates(item, childPointer(pointer, index));
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value))
      yield* listTemplates(member, childPointer(pointer, name));
  }
}

function safeTemplate(source: string): { readonly parts: readonly (string | Expression)[] } {
  const parsed = safeParseTemplate(source);
  return parsed.ok ? parsed.template : { parts: [] };
}

interface Site extends WrittenTemplate {
  readonly document: Document;
  readonly names: Names;
  readonly language: Language;
}

function explain(root: Expression, { document, pointer, value, names, language }: Site): ExplainedExpression {
  const locate = (offset: number): number => document.offsetOf?.(pointer, offset) ?? 0;
  const evaluatePart = ({ start, end }: Expression): ShownValue =>
    evaluateAt(`{{${value.slice(start, end)}}}`, names, language);
  const open = value.lastIndexOf('{{', root.start);
  const close = value.indexOf('}}', root.end);
  const start = open === -1 ? root.start : open;
  const end = close === -1 ? root.end : close + 2;
  const parts: ExplainedExpression['parts'][number][] = [];
  walkExpression(root, (node) => {
    if (node === root || node.kind === 'literal' || node.kind === 'keyword' || parts.length >= MAX_PARTS)
      return;
    parts.push({ start: locate(node.start), end: locate(node.end), value: evaluatePart(node) });
  });
  return {
    start: locate(start),
    end: locate(end),
    source: value.slice(start, end),
    value: evaluatePart(root),
    parts,
  };
}

/** @returns the names for the template at a pointer; undefined for one of another request of the chain */
function createNamesFor(
  text: ExplainedText,
  { moment, item, language, texts }: ExplainOptions,
): (pointer: string) => Names | undefined {
  const isChain = text.role === 'communication' && /^\s*\[/.test(withoutComments(text.text));
  const withItem = (): Names => {
    const items = listItems(texts, moment, language);
    return items.length === 0
      ? moment.response
      : { ...moment.response, item: items[Math.min(item, items.length - 1)] };
  };
  let ofItem: Names | undefined;
  return (pointer) => {
    const [, first = '', ...rest] = pointer.split('/');
    const path = isChain ? rest : [first, ...rest];
    if (isChain && Number(first) !== moment.requestIndex) return undefined;
    const [section, part, inner] = path;
    if (section === 'pagination') return moment.next;
    const isOfItem =
      (section === 'response' &&
        (part === 'output' || part === 'trigger' || (part === 'iterate' && inner === 'condition'))) ||
      section === 'output';
    if (isOfItem) {
      ofItem ??= withItem();
      return ofItem;
    }
    const isOfAnswer =
      section === 'response' || section === 'iterate' || section === 'uid' || section === 'verification';
    return isOfAnswer ? moment.response : moment.request;
  };
}

function withoutComments(text: string): string {
  return text.replace(/^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/, '');
}

/** The items that the response at a moment is taken apart into; none where it is not. */
export function listItems(
  texts: readonly ExplainedText[],
  moment: Moment,
  language: Language,
): readonly unknown[] {
  const value = evaluateIterate(texts, moment, language)?.value;
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** What `iterate` was at a moment, and what it could have been: the arrays of the answer. */
export function describeItems(
  texts: readonly ExplainedText[],
  moment: Moment,
  language: Language,
): ShownItems {
  const iterate = evaluateIterate(texts, moment, language);
  const { value } = iterate ?? {};
  const arrays = Array.isArray(value) ? [] : [...listArrays(moment.response['body'], 'body', 0)];
  return { source: iterate?.source, found: nameFound(value), arrays: arrays.slice(0, MAX_ARRAYS) };
}

const MAX_ARRAYS = 5;

function nameFound(value: unknown): ShownItems['found'] {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' ? 'collection' : 'value';
}

function* listArrays(value: unknown, path: string, depth: number): Generator<ShownItems['arrays'][number]> {
  if (Array.isArray(value)) yield { path, length: value.length };
  else if (isPlainObject(value) && depth < 3) {
    for (const [name, member] of Object.entries(value)) {
      const step = /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
      yield* listArrays(member, `${path}.${step}`, depth + 1);
    }
  }
}

function evaluateIterate(
  texts: readonly ExplainedText[],
  moment: Moment,
  language: Language,
): { readonly source: string; readonly value: unknown } | undefined {
  const byRole = (role: ExplainedText['role']): unknown => {
    const text = texts.find((other) => other.role === role);
    const value = text && tryRead(text)?.value;
    return Array.isArray(value) ? value[moment.requestIndex] : value;
  };
  const written = findIterate(byRole('communication')) ?? findIterate(byRole('base'));
  const source = isPlainObject(written) ? ownMember(written, 'container') : written;
  if (typeof source !== 'string' || source === '') return undefined;
  const template = source.includes('{{') ? source : `{{${source}}}`;
  return { source, value: evaluate(template, moment.response, language) };
}

function findIterate(request: unknown): unknown {
  if (!isPlainObject(request)) return undefined;
  const response = ownMember(request, 'response');
  const inside = isPlainObject(response) ? ownMember(response, 'iterate') : undefined;
  // Of a webhook it stands at the top.
  return inside ?? ownMember(request, 'iterate');
}

function evaluate(template: string, names: Scope, { environment, functions }: Language): unknown {
  try {
    return compileTemplate(template, { environment, functions, pointer: '' })(names);
  } catch {
    return undefined;
  }
}
