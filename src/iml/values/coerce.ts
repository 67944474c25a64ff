import { assertListLength, assertTextLength } from './size-limits.js';

/** Arrays nested deeper than this write nothing; an array that holds itself ends there too. */
const MAX_TEXT_DEPTH = 256;

/** The text of a collection. [app] */
const COLLECTION_TEXT = '{object}';

// Hexadecimal, `Infinity` and the empty text are no numbers here, though `Number` reads them.
const NUMERIC_TEXT = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

// A leading byte order mark is a character like any other, so that bytes and text keep their lengths.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Undefined or null: there is no value. */
export function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Undefined, null or the empty text. Source: https://help.make.com/type-coercion. [doc] */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** As in JavaScript: empty arrays and collections are true. Source: https://help.make.com/type-coercion. [doc] */
export function isTruthy(value: unknown): boolean {
  return Boolean(value);
}

/** Whether an optional switch such as `ignoreCase` is on. The text `false` is off. Source: section 8.5. [doc] */
export function isOn(value: unknown): boolean {
  return Boolean(value) && value !== 'false';
}

/** Binary data. An object that only inherits from `Uint8Array.prototype` is none: it has no bytes. */
export function isBuffer(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && value instanceof Uint8Array;
}

/** A date, valid or not. An object that only inherits from `Date.prototype` is none: it has no instant. */
export function isDate(value: unknown): value is Date {
  return value instanceof Date && toInstant(value) !== undefined;
}

/** Milliseconds since the epoch of a date, NaN for an invalid one, undefined for anything else. */
export function toInstant(value: unknown): number | undefined {
  if (!(value instanceof Date)) return undefined;
  try {
    return Date.prototype.getTime.call(value);
  } catch {
    return undefined;
  }
}

/** The number a number or a numeric text stands for, undefined for everything else, NaN and infinities too. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (!NUMERIC_TEXT.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/**
 * The operand an arithmetic operator works on, NaN where there is none.
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

/**
 * The operand of `-` and `++`: a text is read as JavaScript's `Number` does, an empty one is 0. [rt]
 */
export function toDifference(value: unknown): number {
  return typeof value === 'string' ? Number(value) : toArithmetic(value);
}

/**
 * The text form of any value; what cannot be written (functions, invalid dates, NaN) is empty.
 * Source: https://help.make.com/type-coercion.
 *
 * @throws ImlError `IML_LIMIT` where the text of an array or buffer would be too long
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return writeOtherText(value);
}

function writeOtherText(value: unknown): string {
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
  /** Items seen so far at all levels: bounds arrays that hold the same empty array over and over. */
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
