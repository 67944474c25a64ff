import type { Document } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { compileTemplate } from '../../../language/compile/compile-template.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import type { ShownItems } from '../protocol.js';
import type { Language, Moment } from './scope-at.js';

/** The items of the response of a step. */
export function listItems(
  texts: readonly ExplainedText[],
  moment: Moment,
  language: Language,
): readonly unknown[] {
  const value = evaluateIterate(texts, moment, language)?.value;
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** Maximum number of listed arrays. */
const MAX_ARRAYS = 5;

/** The value of `iterate` in a step, and the arrays in the response. */
export function describeItems(
  texts: readonly ExplainedText[],
  moment: Moment,
  language: Language,
): ShownItems {
  const iterate = evaluateIterate(texts, moment, language);
  const { value } = iterate ?? {};
  const arrays = Array.isArray(value) ? [] : [...listArrays(moment.response?.['body'], 'body', 0)];
  return { source: iterate?.source, found: nameFound(value), arrays: arrays.slice(0, MAX_ARRAYS) };
}

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
  { requestIndex, response }: Moment,
  { environment, functions }: Language,
): { readonly source: string; readonly value: unknown } | undefined {
  if (response === undefined) return undefined;
  const written = findWrittenRequests(texts, requestIndex)
    .map(findIterate)
    .find((found) => found !== undefined && found !== null);
  const source = isPlainObject(written) ? ownMember(written, 'container') : written;
  if (typeof source !== 'string' || source === '') return undefined;
  const template = source.includes('{{') ? source : `{{${source}}}`;
  try {
    return { source, value: compileTemplate(template, { environment, functions, pointer: '' })(response) };
  } catch {
    // The page shows the error of the run separately.
    return { source, value: undefined };
  }
}

function findIterate(request: PlainObject): unknown {
  const response = ownMember(request, 'response');
  const inside = isPlainObject(response) ? ownMember(response, 'iterate') : undefined;
  // Webhooks have it at the top level.
  return inside ?? ownMember(request, 'iterate');
}

/** A document of a run. */
export interface ExplainedText {
  readonly role: 'base' | 'communication';
  readonly file: string | undefined;
  readonly text: string;
}

/** Undefined for invalid JSON: the trace may come from others. */
export function readExplained({ text, file }: ExplainedText): Document | undefined {
  try {
    return readDocument(text, file ?? 'app');
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** The documents that contain a request of a chain: the component, then the base. */
export function findWrittenRequests(
  texts: readonly ExplainedText[],
  requestIndex: number,
): readonly PlainObject[] {
  return (['communication', 'base'] as const).flatMap((role) => {
    const text = texts.find((other) => other.role === role);
    const value = text && readExplained(text)?.value;
    const request = Array.isArray(value) ? value[requestIndex] : value;
    return isPlainObject(request) ? [request] : [];
  });
}
