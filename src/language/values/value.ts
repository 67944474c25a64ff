import { CASELESS, isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import { assertListLength, assertTextLength } from './size-limits.js';

/** Kind of a value in the terms of the language. `unreadable` stands for any other JavaScript value. */
export type ValueKind =
  | 'unset'
  | 'null'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'buffer'
  | 'array'
  | 'collection'
  | 'unreadable';

/** Classifies any value. Never throws, not even for a hostile Proxy. */
export function classifyValue(value: unknown): ValueKind {
  switch (typeof value) {
    case 'undefined':
      return 'unset';
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return value === null ? 'null' : objectKind(value);
    default:
      return 'unreadable';
  }
}

function objectKind(value: object): ValueKind {
  try {
    if (Array.isArray(value)) return 'array';
    if (isDate(value)) return 'date';
    if (isBuffer(value)) return 'buffer';
    return isPlainObject(value) ? 'collection' : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Describes the kind of a value for a message, without its content: `text`, `a number`, `an array`, `nothing`. */
export function describeType(value: unknown): string {
  const kind = classifyValue(value);
  switch (kind) {
    case 'unset':
      return 'nothing';
    case 'null':
    case 'text':
      return kind;
    case 'array':
      return 'an array';
    case 'unreadable':
      return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
    default:
      return `a ${kind}`;
  }
}

/** Whether a value is a number but not a safe integer. `JSON.parse` rounds integers above 2^53, so two ids can collide. */
export function isUnsafeNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

/** More deeply nested arrays have no text. This also ends the text of a circular array. */
const MAX_TEXT_DEPTH = 256;

/** The text of a collection. [app] */
const COLLECTION_TEXT = '{object}';

// Excludes hexadecimal numbers, `Infinity` and the empty text, which `Number` accepts.
const NUMERIC_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

// Keeps a leading byte order mark, so that bytes and text have corresponding lengths.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Whether a value is undefined or null. */
export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Whether a value is undefined, null or the empty text. Source: https://help.make.com/type-coercion. [doc] */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Truthiness as in JavaScript: empty arrays and collections are true. Source: https://help.make.com/type-coercion. [doc] */
export function isTruthy(value: unknown): boolean {
  return Boolean(value);
}

/** Whether an optional flag such as `ignoreCase` is set. The text `false` is not. [doc] */
export function isOn(value: unknown): boolean {
  return Boolean(value) && value !== 'false';
}

/** Whether a value is binary data. An object that only inherits from `Uint8Array.prototype` is not: it has no bytes. */
export function isBuffer(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && value instanceof Uint8Array;
}

/** Whether a value is a date, valid or not. An object that only inherits from `Date.prototype` is not: it has no instant. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && toInstant(value) !== undefined;
}

/** Returns the milliseconds since the epoch of a date, NaN for an invalid date, undefined for any other value. */
export function toInstant(value: unknown): number | undefined {
  if (!(value instanceof Date)) return undefined;
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return undefined;
  }
}

/** Converts a finite number or a numeric text to a number; undefined for any other value. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (!NUMERIC_TEXT.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * Converts an operand of an arithmetic operator; NaN if it has no numeric value.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml; missing values and booleans as in JavaScript. [inf]
 */
export function toArithmetic(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return value;
    case 'string':
      return toNumber(value) ?? Number.NaN;
    case 'boolean':
      return value ? 1 : 0;
    default:
      return value === null ? 0 : (toInstant(value) ?? Number.NaN);
  }
}

/** Converts an operand of `-` and `++`: text as `Number` of JavaScript does, so the empty text is 0. [rt] */
export function toDifference(value: unknown): number {
  return typeof value === 'string' ? Number(value) : toArithmetic(value);
}

/**
 * Converts any value to text. Functions, invalid dates and NaN become the empty text.
 * Source: https://help.make.com/type-coercion.
 *
 * @throws ImlError `IML_LIMIT` if the text of an array or buffer is too long
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return otherText(value);
}

function otherText(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return '';
      return Array.isArray(value) ? arrayText(value) : objectText(value);
    default:
      return '';
  }
}

function objectText(value: object): string {
  if (isBuffer(value)) {
    assertTextLength(value.length);
    return UTF8.decode(value);
  }
  const instant = toInstant(value);
  if (instant === undefined) return COLLECTION_TEXT;
  return Number.isNaN(instant) ? '' : new Date(instant).toISOString();
}

interface ArrayWalk {
  /** Items visited at all levels. Limits the work for arrays that contain the same array many times. */
  items: number;
  text: string;
}

function arrayText(array: readonly unknown[]): string {
  const walk: ArrayWalk = { items: 0, text: '' };
  writeArray(array, walk, 1);
  return walk.text;
}

function writeArray(array: readonly unknown[], walk: ArrayWalk, depth: number): void {
  walk.items += array.length;
  assertListLength(walk.items);
  for (let index = 0; index < array.length; index++) {
    if (index > 0) walk.text += ',';
    const item = array[index];
    if (!Array.isArray(item)) walk.text += toText(item);
    else if (depth < MAX_TEXT_DEPTH) writeArray(item, walk, depth + 1);
    assertTextLength(walk.text.length);
  }
}

/** Whether a value is a collection of the language. */
export function isCollection(value: unknown): value is PlainObject {
  return isPlainObject(value);
}

/** Lists the names of the members in order. A member that is a function counts as absent. */
export function memberNames(collection: PlainObject): string[] {
  return Object.keys(collection).filter((name) => typeof collection[name] !== 'function');
}

/** Copies the members whose name passes `keep`. */
export function filterMembers(collection: PlainObject, keep: (name: string) => boolean): PlainObject {
  const result: PlainObject = {};
  for (const name of memberNames(collection)) {
    if (keep(name)) setMember(result, name, collection[name]);
  }
  return result;
}

/**
 * Creates a collection with case-insensitive names, such as the headers of a response. Names are stored in lower case.
 * If names differ only in case, the last one wins. [app]
 */
export function createCaseless(entries: Iterable<readonly [string, unknown]>): PlainObject {
  const result: PlainObject = Object.create(CASELESS);
  for (const [name, value] of entries) setMember(result, name.toLowerCase(), value);
  return result;
}
