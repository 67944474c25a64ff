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
export function fromStored(stored: unknown): unknown {
  return fromPortable(stored instanceof JsonText ? JSON.parse(stored.text) : stored);
}

/** Copies stored plain data, as `toPortable` writes it. */
export function copyStored(stored: unknown): unknown {
  return stored instanceof JsonText ? JSON.parse(stored.text) : structuredClone(stored);
}

/** The stored form of a list without its first items. */
export function dropStored(stored: unknown, count: number): unknown {
  const items = fromStored(stored);
  return Array.isArray(items) ? toStored(items.slice(count)) : stored;
}

/** The stored JSON; undefined for omitted values. */
export function writeStored(stored: unknown): string | undefined {
  return stored instanceof JsonText ? stored.text : JSON.stringify(stored);
}

/** @throws StoreError (STORE_FAILED) for a value that does not open or is no JSON */
export function assertOpens(stored: unknown): void {
  if (stored instanceof JsonText) void stored.text;
}

/** Copies stored plain data; for a value that cannot be read, the error. */
export function showStored(stored: unknown): unknown {
  try {
    return copyStored(stored);
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether two values have the same stored JSON. */
export function isSameStored(a: unknown, b: unknown): boolean {
  return writeStored(a) === writeStored(b);
}

/** Bytes of the stored JSON. */
export function measureStored(stored: unknown): number {
  if (!(stored instanceof JsonText)) return Buffer.byteLength(JSON.stringify(stored));
  return stored.bytes ?? Buffer.byteLength(stored.text);
}

type Requested = Pick<EventRow, 'request'>;

/** The id of the call of an event; undefined if not stored. */
export function readCallId(event: Requested): string | undefined {
  return readText(event, 'callId');
}

/** The span of the call of an event; undefined if not traced. */
export function readTraceparent(event: Requested): string | undefined {
  return readText(event, 'traceparent');
}

function readText({ request }: Requested, name: string): string | undefined {
  const value = isPlainObject(request) ? request[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
