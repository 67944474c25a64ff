import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** Placeholders by stand-in. */
export type Placeholders = ReadonlyMap<string | number, string>;

/** Replaces stand-ins in a value by placeholders, names included. */
export function writePlaceholders(value: unknown, placeholders: Placeholders): unknown {
  // The longer of two with a common prefix comes first.
  const texts = [...placeholders.keys()].map(String).toSorted((a, b) => b.length - a.length);
  if (texts.length === 0) return value;
  const written = new Map([...placeholders].map(([standIn, placeholder]) => [String(standIn), placeholder]));
  const pattern = new RegExp(texts.map(escapeForPattern).join('|'), 'g');
  const write = (text: string): string => text.replace(pattern, (standIn) => written.get(standIn) ?? standIn);
  return writeAll(value, write, placeholders);
}

function writeAll(value: unknown, write: (text: string) => string, placeholders: Placeholders): unknown {
  if (typeof value === 'string') return write(value);
  if (typeof value === 'number') return placeholders.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => writeAll(item, write, placeholders));
  if (!isPlainObject(value)) return value;
  const written: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    setMember(written, write(name), writeAll(member, write, placeholders));
  }
  return written;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
