import { isPlainObject, type PlainObject, setMember } from '../util/plain-object.js';

/** Reads what JSON cannot hold: `{"$date": ISO text}` and `{"$buffer": Base64}`. Source: conformance/README.md. */
export function readTagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readTagged);
  if (!isPlainObject(value)) return value;
  const { $date: date, $buffer: buffer } = value;
  if (typeof date === 'string') return new Date(date);
  if (typeof buffer === 'string') return new Uint8Array(Buffer.from(buffer, 'base64'));
  const result: PlainObject = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, readTagged(member));
  return result;
}

/** Writes a value so that `readTagged` reads it again; for messages and files. Undefined members are left out. */
export function writeTagged(value: unknown): unknown {
  if (value === undefined) return { $undefined: true };
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof Uint8Array) return { $buffer: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(writeTagged);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const result: PlainObject = {};
  for (const [name, member] of members) setMember(result, name, writeTagged(member));
  return result;
}
