import { isPlainObject } from '../../../shared/plain-object.js';
import { toPortable } from '../../../shared/portable-value.js';
import type { ShownValue } from '../protocol.js';

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
  return { kind: 'error', text: error instanceof Error ? error.message : String(error), isCut: false };
}

/** Maximum length of text and number of members in a short description. */
const MAX_WORDS = 60;
const MAX_MEMBERS = 6;

/** A short description of a value. */
export function describeShortly(value: unknown): string {
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
