import { isPlainObject, type PlainObject, setMember } from './plain-object.js';

/** Deeper values are left out: what is kept is written and read again, and neither may exhaust the stack. */
const MAX_DEPTH = 200;

/** The name of the only member of a collection that stands for a value JSON does not have. */
const MARK = { date: '$date', bytes: '$bytes', escaped: '$value' } as const;
const MARKS: ReadonlySet<string> = new Set(Object.values(MARK));

/**
 * A value of the language as plain JSON data from which `fromPortable` makes it again: dates and bytes are kept.
 * What JSON cannot hold otherwise (undefined, functions, invalid dates) is left out.
 */
export function toPortable(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : { [MARK.date]: value.toISOString() };
  if (value instanceof Uint8Array) return { [MARK.bytes]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map((item) => toPortable(item, depth + 1) ?? null);
  if (isPlainObject(value)) return portableMembers(value, depth);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' || typeof value === 'boolean' || value === null ? value : undefined;
}

function portableMembers(value: PlainObject, depth: number): PlainObject {
  const members: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    const portable = toPortable(member, depth + 1);
    if (portable !== undefined) setMember(members, name, portable);
  }
  return hasMark(members) ? { [MARK.escaped]: members } : members;
}

/** The value that `toPortable` was given. Anything else is read as the plain data it is. */
export function fromPortable(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH * 2) return undefined;
  if (Array.isArray(value)) return value.map((item) => fromPortable(item, depth + 1));
  if (!isPlainObject(value)) return value;
  if (hasMark(value)) {
    const { [MARK.date]: date, [MARK.bytes]: bytes, [MARK.escaped]: escaped } = value;
    if (typeof date === 'string') return new Date(date);
    if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'));
    if (isPlainObject(escaped)) return readMembers(escaped, depth);
  }
  return readMembers(value, depth);
}

function readMembers(value: PlainObject, depth: number): PlainObject {
  const members: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    setMember(members, name, fromPortable(member, depth + 1));
  }
  return members;
}

/** A mark stands alone; data that happens to look like one is wrapped. */
function hasMark(value: PlainObject): boolean {
  const names = Object.keys(value);
  return names.length === 1 && MARKS.has(names[0] ?? '');
}
