import { isBuffer } from '../../language/values/value.js';
import { isPlainObject, isScalar } from '../../shared/plain-object.js';
import type { Option } from './parameter-spec.js';
import { quote } from './problem.js';

/** Options of a select, indexed by value. */
export interface ChoiceIndex {
  /** Undefined if the options are unknown. */
  readonly options: readonly Option[] | undefined;
  readonly byValue: ReadonlyMap<unknown, Option>;
  readonly byText: ReadonlyMap<string, Option>;
  /** Options whose values are collections, arrays or null, by content. */
  readonly byContent: ContentIndex<Option>;
  /** Values of the default options. */
  readonly defaults: readonly unknown[];
  /** Expectation for error messages. */
  readonly expected: string;
}

export function indexChoices(options: readonly Option[] | undefined): ChoiceIndex {
  const known = options ?? [];
  const byValue = new Map<unknown, Option>();
  const byText = new Map<string, Option>();
  const byContent = new ContentIndex<Option>();
  for (const option of known) {
    const { value } = option;
    if (typeof value === 'object') byContent.add(value, option);
    else if (value !== undefined) {
      putFirst(byValue, value, option);
      putFirst(byText, String(value), option);
    }
  }
  let expected: string | undefined;
  return {
    options,
    byValue,
    byText,
    byContent,
    defaults: known.filter((option) => option.isDefault).map((option) => option.value),
    // Computed on demand, as most values match an option.
    get expected() {
      expected ??= listChoices(known.map((option) => option.value));
      return expected;
    },
  };
}

function putFirst<Key>(index: Map<Key, Option>, key: Key, option: Option): void {
  if (!index.has(key)) index.set(key, option);
}

/**
 * Finds the option of a value. If no option has exactly this value, text matches the number or boolean it spells and
 * vice versa, as forms and command lines write all options as text. [choice]
 */
export function findOption(index: ChoiceIndex, value: unknown): Option | undefined {
  if (typeof value === 'object') return index.byContent.find(value);
  return index.byValue.get(value) ?? (isScalar(value) ? index.byText.get(String(value)) : undefined);
}

/** Values of `enum`, indexed. */
export interface AllowedValues {
  readonly scalars: ReadonlySet<unknown>;
  /** Collections and arrays, by content. */
  readonly contents: ContentIndex<true>;
  /** Expectation for error messages. */
  readonly expected: string;
}

export function indexAllowed(values: readonly unknown[]): AllowedValues {
  const contents = new ContentIndex<true>();
  for (const value of values) {
    if (typeof value === 'object' && value !== null) contents.add(value, true);
  }
  let expected: string | undefined;
  return {
    scalars: new Set(values),
    contents,
    // Computed on demand, as most values are allowed.
    get expected() {
      expected ??= listChoices(values);
      return expected;
    },
  };
}

/** Whether a value is allowed; collections and arrays are compared by content. */
export function isAllowedValue({ scalars, contents }: AllowedValues, value: unknown): boolean {
  if (scalars.has(value)) return true;
  return typeof value === 'object' && value !== null && contents.find(value) === true;
}

const SHOWN_CHOICES = 10;

/** Formats `one of "a", "b", 3`. */
function listChoices(values: readonly unknown[]): string {
  const shown: string[] = [];
  for (const value of values) {
    if (typeof value === 'object' && value !== null) continue;
    shown.push(typeof value === 'string' ? quote(value) : String(value));
    if (shown.length === SHOWN_CHOICES) break;
  }
  if (shown.length === 0) return 'one of the options';
  const rest = values.length - shown.length;
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Map with collections and arrays as keys, compared by content. */
class ContentIndex<Known> {
  readonly #known = new Map<string, Known>();
  #longest = 0;

  /** The first of equal values wins. Values that are not data are ignored. */
  add(value: unknown, known: Known): void {
    const key = contentKey(value);
    if (key === undefined || this.#known.has(key)) return;
    this.#known.set(key, known);
    this.#longest = Math.max(this.#longest, key.length);
  }

  find(value: unknown): Known | undefined {
    if (this.#known.size === 0) return undefined;
    // Bounded by the longest key, as a value may contain the same object very often.
    const key = contentKey(value, this.#longest);
    return key === undefined ? undefined : this.#known.get(key);
  }
}

/** Deeper or circular data matches nothing. */
const MAX_DEPTH = 64;

/**
 * Returns a key that values with the same content share.
 *
 * @param longest largest length of the key
 * @returns undefined if the value is not data, throws while it is read, or needs a longer key
 */
export function contentKey(value: unknown, longest: number = Number.POSITIVE_INFINITY): string | undefined {
  try {
    const key = write(value, 0, { left: longest });
    return key === undefined || key.length > longest ? undefined : key;
  } catch {
    return undefined;
  }
}

/** Remaining characters. Each value takes at least one, each text its length. */
interface Room {
  left: number;
}

function takesRoom(room: Room, length: number): boolean {
  room.left -= length;
  return room.left >= 0;
}

/** Returns undefined for values that are not data or are too long. */
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
