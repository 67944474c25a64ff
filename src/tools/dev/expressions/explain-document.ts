import type { Document } from '../../../engine/document/document.js';
import { compileTemplate } from '../../../language/compile/compile-template.js';
import type { Expression } from '../../../language/syntax/ast.js';
import { safeParseTemplate } from '../../../language/syntax/parser.js';
import { listNodes, listPaths } from '../../../language/syntax/walk-expression.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ExplainedDocument, ExplainedExpression, MomentName, ShownValue } from '../protocol.js';
import {
  type ExplainedText,
  type OpenMoment,
  presentThrown,
  presentValue,
  readExplained,
} from './moments.js';
import type { Language, Names } from './scope-at.js';

export interface ExplainOptions {
  /** Moments of the step in order. */
  readonly moments: readonly OpenMoment[];
  /** Index in the chain. */
  readonly requestIndex: number;
  readonly language: Language;
  /** Time of `performance.now()` after which no further expression is evaluated. */
  readonly deadlineMs: number;
}

/** Maximum time to evaluate the expressions of all documents of a step. Blocks the server. */
export const MAX_EXPLAIN_MS = 1000;

/** Maximum number of evaluated expressions per document, and of parts per expression. */
const MAX_EXPRESSIONS = 400;
const MAX_PARTS = 24;

/**
 * A document with the value of each expression in a step of a run: those of the request at its moment, those of the
 * response after it, those of `pagination` before the next page.
 */
export function explainDocument(
  text: ExplainedText,
  options: ExplainOptions,
): Omit<ExplainedDocument, 'findings'> {
  const document = readExplained(text);
  if (document === undefined) return { ...text, expressions: [] };
  const isChain = text.role === 'communication' && Array.isArray(document.value);
  const expressions: ExplainedExpression[] = [];
  for (const { pointer, value } of listTemplates(document.value, '')) {
    const path = pathInRequest(pointer, isChain ? options.requestIndex : undefined);
    const moment = path && findMoment(path, options.moments);
    if (moment === undefined) continue;
    const site = { document, pointer, value, moment, ...options };
    for (const part of listParts(value)) {
      if (typeof part !== 'string' && expressions.length < MAX_EXPRESSIONS) {
        expressions.push(explain(part, site));
      }
    }
  }
  return { role: text.role, file: text.file, text: document.text ?? text.text, expressions };
}

/** Evaluates a template with variables. */
export function evaluateAt(template: string, names: Names, { environment, functions }: Language): ShownValue {
  try {
    return presentValue(compileTemplate(template, { environment, functions, pointer: '' })(names));
  } catch (error) {
    return presentThrown(error);
  }
}

/** Evaluates a typed template. A name that is no variable gets a suggestion, because its value is just empty. */
export function evaluateTyped(template: string, names: Names, language: Language): ShownValue {
  const value = evaluateAt(template, names, language);
  if (value.kind === 'error') return value;
  const roots = listParts(template).flatMap((part) =>
    typeof part === 'string' ? [] : listPaths(listNodes(part)).map(({ root }) => root.name),
  );
  const unknown = roots.find(
    (name) => !Object.hasOwn(names, name) && !Object.hasOwn(language.environment, name),
  );
  if (unknown === undefined) return value;
  const suggestion = didYouMean(unknown, Object.keys(names));
  return suggestion === '' ? value : { ...value, hint: `There is no variable "${unknown}".${suggestion}` };
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

function listParts(source: string): readonly (string | Expression)[] {
  const parsed = safeParseTemplate(source);
  return parsed.ok ? parsed.template.parts : [];
}

interface Site extends WrittenTemplate {
  readonly document: Document;
  readonly moment: OpenMoment;
  readonly language: Language;
  readonly deadlineMs: number;
}

/** Shown for expressions after the deadline. */
const TOO_LATE: ShownValue = {
  kind: 'error',
  text: 'Not evaluated, because the values of this step are too large. Evaluate it in the playground.',
  isCut: false,
};

function explain(
  root: Expression,
  { document, pointer, value, moment, language, deadlineMs }: Site,
): ExplainedExpression {
  const locate = (offset: number): number => document.offsetOf?.(pointer, offset) ?? 0;
  const isLate = (): boolean => performance.now() > deadlineMs;
  const evaluatePart = ({ start, end }: Expression): ShownValue =>
    isLate() ? TOO_LATE : evaluateAt(`{{${value.slice(start, end)}}}`, moment.names, language);
  const open = value.lastIndexOf('{{', root.start);
  const close = value.indexOf('}}', root.end);
  const start = open === -1 ? root.start : open;
  const end = close === -1 ? root.end : close + 2;
  const parts: ExplainedExpression['parts'][number][] = [];
  for (const node of listNodes(root)) {
    if (node === root || node.kind === 'literal' || node.kind === 'keyword') continue;
    if (parts.length >= MAX_PARTS || isLate()) break;
    parts.push({ start: locate(node.start), end: locate(node.end), value: evaluatePart(node) });
  }
  return {
    start: locate(start),
    end: locate(end),
    source: value.slice(start, end),
    moment: moment.name,
    value: evaluatePart(root),
    parts,
  };
}

/** @returns undefined for a location in another request of the chain */
function pathInRequest(pointer: string, requestIndex: number | undefined): readonly string[] | undefined {
  const [, ...steps] = pointer.split('/');
  if (requestIndex === undefined) return steps;
  return Number(steps[0]) === requestIndex ? steps.slice(1) : undefined;
}

/** Fallback moments: a webhook call has no request, a failed request no response. */
const INSTEAD: Readonly<Record<MomentName, readonly MomentName[]>> = {
  request: ['request', 'answer'],
  answer: ['answer', 'request'],
  item: ['item', 'answer', 'request'],
  next: ['next', 'answer', 'request'],
};

function findMoment(path: readonly string[], moments: readonly OpenMoment[]): OpenMoment | undefined {
  for (const wanted of INSTEAD[nameMoment(path)]) {
    const found = moments.find(({ name }) => name === wanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sections that are evaluated after the response. */
const OF_ANSWER: ReadonlySet<string> = new Set(['response', 'iterate', 'uid', 'verification', 'repeat']);

/** The moment at which the engine evaluates a directive. */
function nameMoment([section = '', part, inner]: readonly string[]): MomentName {
  if (section === 'pagination') return 'next';
  if (section === 'output') return 'item';
  if (section !== 'response') return OF_ANSWER.has(section) ? 'answer' : 'request';
  // `limit` is evaluated before the request.
  if (part === 'limit') return 'request';
  const isOfItem = part === 'output' || part === 'trigger' || (part === 'iterate' && inner === 'condition');
  return isOfItem ? 'item' : 'answer';
}
