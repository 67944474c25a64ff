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
