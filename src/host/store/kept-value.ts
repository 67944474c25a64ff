import { JsonText, MAX_JSON_AT_ONCE } from '../../store/json-text.js';
import { isPlainObject } from '../../util/plain-object.js';
import { fromPortable, toPortable } from '../../util/portable-value.js';

/** Most processes never get a large one. */
const loadLarge = (): Promise<typeof import('./large-json.js')> => import('./large-json.js');

/** What a value counts for beside the characters of its texts. */
export const VALUE_LENGTH = 16;

/**
 * A value as it is stored (`toPortable`). A large one is written in turns and becomes its text, as nobody else should wait
 * while it is.
 */
export async function keepValue(value: unknown): Promise<unknown> {
  if (!isLongerThan(value, MAX_JSON_AT_ONCE)) return toPortable(value);
  return (await loadLarge()).writeLarge(value);
}

/** The value that `keepValue` was given, from what the store gave. */
export async function readKept(kept: unknown): Promise<unknown> {
  if (!(kept instanceof JsonText)) return fromPortable(kept);
  const { parseLarge, readLarge } = await loadLarge();
  return readLarge(await parseLarge(kept));
}

/** A copy of the plain data that is stored, as `toPortable` writes it. */
export async function copyKept(kept: unknown): Promise<unknown> {
  return kept instanceof JsonText ? (await loadLarge()).parseLarge(kept) : structuredClone(kept);
}

/** The value that a copy of plain data stands for, which is changed. */
export async function readCopy(portable: unknown): Promise<unknown> {
  if (!isLongerThan(portable, MAX_JSON_AT_ONCE)) return fromPortable(portable);
  return (await loadLarge()).readLarge(portable);
}

/** What is stored of a list without its first items. */
export async function dropKept(kept: unknown, count: number): Promise<unknown> {
  const items = await readKept(kept);
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
