import type { Document } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { compileTemplate } from '../../../language/compile/compile-template.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { ImlError } from '../../../shared/errors/iml-error.js';
import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import { toPortable } from '../../../shared/portable-value.js';
import type { MomentName, ShownItems, ShownMoments, ShownValue } from '../protocol.js';
import type { Language, Moment, Names } from './scope-at.js';

/** All moments in order. */
export const MOMENTS: readonly MomentName[] = ['request', 'answer', 'item', 'next'];

/** A moment with the variables of expressions. */
export interface OpenMoment {
  readonly name: MomentName;
  readonly names: Names;
  /** False for a next page that was not requested. */
  readonly wasReached: boolean;
}

/** The moments of one step in order. */
export interface StepMoments {
  readonly moments: readonly OpenMoment[];
  /** Number of items of `iterate`. */
  readonly items: number;
}

interface MomentOptions {
  readonly texts: readonly ExplainedText[];
  readonly language: Language;
  /** Index of `item`; the last one if there are fewer. */
  readonly item: number;
}

/** Opens all moments of a step. */
export function openMoments(step: Moment, { texts, language, item }: MomentOptions): StepMoments {
  const { request, response } = step;
  const items = listItems(texts, step, language);
  const moments: OpenMoment[] = [];
  if (request !== undefined) moments.push({ name: 'request', names: request, wasReached: true });
  if (response !== undefined) {
    moments.push({ name: 'answer', names: response, wasReached: true });
    if (items.length > 0) {
      const at = Math.max(0, Math.min(Math.trunc(item) || 0, items.length - 1));
      moments.push({ name: 'item', names: { ...response, item: items[at] }, wasReached: true });
    }
    const next = openNext(step, response, texts);
    if (next !== undefined) moments.push(next);
  }
  return { moments, items: items.length };
}

/** Expressions in `pagination` see the next page, even if it is not requested. */
function openNext(
  { next, requestIndex, page }: Moment,
  response: Names,
  texts: readonly ExplainedText[],
): OpenMoment | undefined {
  if (next !== undefined) return { name: 'next', names: next, wasReached: true };
  const isPaged = findWrittenRequests(texts, requestIndex).some(
    (written) => ownMember(written, 'pagination') !== undefined,
  );
  if (!isPaged) return undefined;
  return { name: 'next', names: { ...response, pagination: { page: page + 1 } }, wasReached: false };
}

/**
 * The requested moment.
 *
 * @param wanted default: the one with the most variables (item, else response, else request)
 * @throws EngineError (USAGE) for a moment that the step does not have
 */
export function chooseMoment({ moments }: StepMoments, wanted: MomentName | undefined): OpenMoment {
  const found =
    wanted === undefined
      ? moments.findLast(({ name }) => name !== 'next')
      : moments.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  const known = moments.map(({ name }) => name).join(', ');
  throw new EngineError('USAGE', `This step of the run has no moment "${wanted}". Expected one of ${known}.`);
}

/** Moments with short descriptions of their variables. */
export function showMoments({ moments, items }: StepMoments): ShownMoments {
  return {
    items,
    moments: moments.map(({ name, names, wasReached }) => ({
      name,
      wasReached,
      names: Object.entries(names).map(([own, value]) => ({ name: own, text: describeShortly(value) })),
    })),
  };
}

/** Maximum length of a value beside its expression. */
const MAX_SHOWN = 2000;

/** A value as text: JSON, undefined as nothing. */
export function presentValue(value: unknown): ShownValue {
  if (value === undefined) return { kind: 'nothing', text: 'undefined', isCut: false };
  if (value instanceof Date) {
    return {
      kind: 'value',
      text: Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString(),
      isCut: false,
    };
  }
  if (value instanceof Uint8Array)
    return { kind: 'value', text: `[${value.byteLength} bytes]`, isCut: false };
  const text = JSON.stringify(toPortable(value), null, 1) ?? 'null';
  const line = text.length <= 80 ? text.replace(/\n\s*/g, ' ') : text;
  return { kind: 'value', text: line.slice(0, MAX_SHOWN), isCut: line.length > MAX_SHOWN };
}

/** The error of an expression. */
export function presentThrown(error: unknown): ShownValue {
  const text = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ImlError ? error.hint : undefined;
  return { kind: 'error', text, isCut: false, ...(hint !== undefined && { hint }) };
}

/** Maximum length of text and number of members in a short description. */
const MAX_WORDS = 60;
const MAX_MEMBERS = 6;

/** A short description of a value. */
function describeShortly(value: unknown): string {
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (isPlainObject(value)) {
    const names = Object.keys(value);
    if (names.length === 0) return 'empty collection';
    return `collection: ${names.slice(0, MAX_MEMBERS).join(', ')}${names.length > MAX_MEMBERS ? ', …' : ''}`;
  }
  const text =
    typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_WORDS)) : presentValue(value).text;
  const isCut = text.length > MAX_WORDS || (typeof value === 'string' && value.length > MAX_WORDS);
  return isCut ? `${text.slice(0, MAX_WORDS)} …` : text;
}

/** The items of the response of a step. */
function listItems(texts: readonly ExplainedText[], moment: Moment, language: Language): readonly unknown[] {
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
  const inside = readAt(request, 'response', 'iterate');
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
function findWrittenRequests(texts: readonly ExplainedText[], requestIndex: number): readonly PlainObject[] {
  return (['communication', 'base'] as const).flatMap((role) => {
    const text = texts.find((other) => other.role === role);
    const value = text && readExplained(text)?.value;
    const request = Array.isArray(value) ? value[requestIndex] : value;
    return isPlainObject(request) ? [request] : [];
  });
}
