import { isBuffer } from '../../iml/values/coerce.js';
import { isPlainObject } from '../../util/plain-object.js';

/** What belongs to values that hold others, found by their content. */
export class ContentIndex<Known> {
  readonly #known = new Map<string, Known>();
  #longest = 0;

  /** Of values with one content the first counts; what is no data has none. */
  add(value: unknown, known: Known): void {
    const key = contentKey(value);
    if (key === undefined || this.#known.has(key)) return;
    this.#known.set(key, known);
    this.#longest = Math.max(this.#longest, key.length);
  }

  find(value: unknown): Known | undefined {
    if (this.#known.size === 0) return undefined;
    // A value may hold the same thing so often that to write all of it would never end.
    const key = contentKey(value, this.#longest);
    return key === undefined ? undefined : this.#known.get(key);
  }
}

/** Levels of data that are looked at. What is deeper, or holds itself, is the same as nothing. */
const MAX_DEPTH = 64;

/**
 * A text that values share where they are the same by content, so that none has to be compared with each of many.
 *
 * @param longest characters the text may have
 * @returns undefined for what is no data, for what throws while it is read, and where the text would be longer
 */
export function contentKey(value: unknown, longest: number = Number.POSITIVE_INFINITY): string | undefined {
  try {
    const key = write(value, 0, { left: longest });
    return key === undefined || key.length > longest ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Characters that may still be written. What is written of each value has one at least, of each text its own. */
interface Room {
  left: number;
}

function takesRoom(room: Room, length: number): boolean {
  room.left -= length;
  return room.left >= 0;
}

/** Undefined for what is no data or too long, and for whatever holds it. */
function write(value: unknown, depth: number, room: Room): string | undefined {
  if (!takesRoom(room, 1)) return undefined;
  switch (typeof value) {
    case 'string':
      if (!takesRoom(room, value.length)) return undefined;
      return JSON.stringify(value);
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'object':
      return value === null ? 'null' : writeObject(value, depth, room);
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number, room: Room): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    if (value.length > room.left) return undefined;
    const items = Array.from(value, (item: unknown) => write(item, depth + 1, room));
    return joinAll('[', items, ']');
  }
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (isBuffer(value)) {
    if (!takesRoom(room, value.length)) return undefined;
    return `buffer ${Buffer.from(value).toString('base64')}`;
  }
  if (!isPlainObject(value)) return undefined;
  const names = Object.keys(value);
  if (names.length > room.left) return undefined;
  const members = names.sort().map((name) => {
    const member = write(value[name], depth + 1, room);
    return member === undefined ? undefined : `${JSON.stringify(name)}:${member}`;
  });
  return joinAll('{', members, '}');
}

function joinAll(
  opening: string,
  parts: readonly (string | undefined)[],
  closing: string,
): string | undefined {
  return parts.includes(undefined) ? undefined : opening + parts.join() + closing;
}
