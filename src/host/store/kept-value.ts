import { isPlainObject } from '../../shared/plain-object.js';
import { fromPortable, toPortable } from '../../shared/portable-value.js';
import { JsonText, MAX_PARSED_LENGTH } from '../../shared/store/table.js';
import { isLongerThan } from '../../shared/value-length.js';
import type { EventRow } from './tables.js';

/** Converts a value to its stored form (`toPortable`). A large value becomes JSON text. */
export function toStored(value: unknown): unknown {
  if (!isLongerThan(value, MAX_PARSED_LENGTH)) return toPortable(value);
  const text = JSON.stringify(toPortable(value) ?? null);
  return new JsonText(text, Buffer.byteLength(text));
}

/** Reverses `toStored`. */
export function fromStored(kept: unknown): unknown {
  return fromPortable(kept instanceof JsonText ? JSON.parse(kept.text) : kept);
}

/** Copies stored plain data, as `toPortable` writes it. */
export function copyStored(kept: unknown): unknown {
  return kept instanceof JsonText ? JSON.parse(kept.text) : structuredClone(kept);
}

/** The stored form of a list without its first items. */
export function dropStored(kept: unknown, count: number): unknown {
  const items = fromStored(kept);
  return Array.isArray(items) ? toStored(items.slice(count)) : kept;
}

/** The stored JSON; undefined for omitted values. */
export function writeStored(kept: unknown): string | undefined {
  return kept instanceof JsonText ? kept.text : JSON.stringify(kept);
}

/** @throws StoreError (STORE_FAILED) for a value that does not open or is no JSON */
export function assertOpens(kept: unknown): void {
  if (kept instanceof JsonText) void kept.text;
}

/** Copies stored plain data; for a value that cannot be read, the error. */
export function showStored(kept: unknown): unknown {
  try {
    return copyStored(kept);
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether two values have the same stored JSON. */
export function isSameStored(a: unknown, b: unknown): boolean {
  return writeStored(a) === writeStored(b);
}

/** Bytes of the stored JSON. */
export function measureStored(kept: unknown): number {
  if (!(kept instanceof JsonText)) return Buffer.byteLength(JSON.stringify(kept));
  return kept.bytes ?? Buffer.byteLength(kept.text);
}

type Kept = Pick<EventRow, 'request'>;

/** The id of the call of an event; undefined if not stored. */
export function readCallId(event: Kept): string | undefined {
  return readText(event, 'callId');
}

/** The span of the call of an event; undefined if not traced. */
export function readTraceparent(event: Kept): string | undefined {
  return readText(event, 'traceparent');
}

function readText({ request }: Kept, name: string): string | undefined {
  const value = isPlainObject(request) ? request[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
