import { isPlainObject, type PlainObject, setMember } from './plain-object.js';

/** Deeper values are dropped, so that writing and reading cannot overflow the stack. */
const MAX_DEPTH = 200;

/** Names of the single member that marks a value JSON cannot represent. */
const MARK = { date: '$date', bytes: '$bytes', escaped: '$value' } as const;
const MARKS: ReadonlySet<string> = new Set(Object.values(MARK));

/**
 * Converts a value of the language to JSON data that `fromPortable` reverts. Dates and bytes survive; undefined,
 * functions and invalid dates are dropped.
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

/** Reverts `toPortable`. Other data is read as plain JSON. */
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

/** Data that looks like a mark is wrapped in `$value`. */
function hasMark(value: PlainObject): boolean {
  const names = Object.keys(value);
  return names.length === 1 && MARKS.has(names[0] ?? '');
}
