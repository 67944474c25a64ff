import { JsonText, MAX_PARSED_LENGTH } from '../../store/json-text.js';
import { isPlainObject } from '../../util/plain-object.js';
import { fromPortable, toPortable } from '../../util/portable-value.js';

/** What a value counts for beside the characters of its texts. */
export const VALUE_LENGTH = 16;

/** A value as the store keeps it (`toPortable`). A large one becomes its JSON text. */
export function keepValue(value: unknown): unknown {
  if (!isLongerThan(value, MAX_PARSED_LENGTH)) return toPortable(value);
  const text = JSON.stringify(toPortable(value) ?? null);
  return new JsonText(text, Buffer.byteLength(text));
}

/** The value that was passed to `keepValue`, from what the store returned. */
export function readKept(kept: unknown): unknown {
  return fromPortable(kept instanceof JsonText ? JSON.parse(kept.text) : kept);
}

/** A copy of the plain data that is stored, as `toPortable` writes it. */
export function copyKept(kept: unknown): unknown {
  return kept instanceof JsonText ? JSON.parse(kept.text) : structuredClone(kept);
}

/** The stored form of a list without its first items. */
export function dropKept(kept: unknown, count: number): unknown {
  const items = readKept(kept);
  return Array.isArray(items) ? keepValue(items.slice(count)) : kept;
}

/** The JSON that is stored; undefined for what is left out. */
export function writeKept(kept: unknown): string | undefined {
  return kept instanceof JsonText ? kept.text : JSON.stringify(kept);
}

/** Whether two values are stored as the same JSON. */
export function isSameKept(a: unknown, b: unknown): boolean {
  return writeKept(a) === writeKept(b);
}

/** Bytes of the JSON that is stored. */
export function measureKept(kept: unknown): number {
  if (!(kept instanceof JsonText)) return Buffer.byteLength(JSON.stringify(kept));
  return kept.bytes ?? Buffer.byteLength(kept.text);
}

/** Whether a value makes more than so many characters of JSON, or nearly so many; looks no further than that. */
export function isLongerThan(value: unknown, length: number): boolean {
  return lengthLeft(value, length) < 0;
}

/** What is left of a length of JSON once a value is written; looks no further than that. */
function lengthLeft(value: unknown, length: number, depth = 0): number {
  let left = length - VALUE_LENGTH;
  if (typeof value === 'string') return left - value.length;
  if (value instanceof Uint8Array) return left - value.byteLength;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = lengthLeft(value[index], left, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (left < 0) break;
      left = lengthLeft(value[name], left - name.length, depth + 1);
    }
  }
  return left;
}

/** As deep as anything is kept. */
const MAX_DEPTH = 200;
