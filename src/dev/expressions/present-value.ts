import { isPlainObject } from '../../util/plain-object.js';
import { toPortable } from '../../util/portable-value.js';
import type { ShownValue } from '../protocol.js';

/** Characters of a value that are shown beside its expression. */
const MAX_SHOWN = 2000;

/** A value of an expression as text for a person: JSON, undefined as nothing. */
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

/** What an expression failed with. */
export function presentThrown(error: unknown): ShownValue {
  return { kind: 'error', text: error instanceof Error ? error.message : String(error), isCut: false };
}

/** Characters of a text, and members of a collection, in a line that says what a name holds. */
const MAX_WORDS = 60;
const MAX_MEMBERS = 6;

/** What a value is, in a few words: large ones are not written out. */
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
