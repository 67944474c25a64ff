import { isPlainObject } from './plain-object.js';

/** Length counted per value in addition to the characters of strings and names. */
export const VALUE_LENGTH = 16;

/** Whether the JSON of a value is longer than about `length` characters. Stops at the limit. */
export function isLongerThan(value: unknown, length: number): boolean {
  return lengthLeft(value, length, VALUE_LENGTH) < 0;
}

/** Deeper values are not counted. */
const MAX_DEPTH = 200;

/**
 * Remaining length after the JSON of a value is written. Stops below zero.
 *
 * @param perValue length counted per value in addition to the characters of strings and names
 */
export function lengthLeft(value: unknown, length: number, perValue: number, depth = 0): number {
  let left = length - perValue;
  if (typeof value === 'string') return left - value.length;
  if (value instanceof Uint8Array) return left - value.byteLength;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) {
      left = lengthLeft(value[index], left, perValue, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (left < 0) break;
      left = lengthLeft(value[name], left - name.length, perValue, depth + 1);
    }
  }
  return left;
}
