import { isBuffer } from '../../iml/values/coerce.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { Option } from '../form/parameter-spec.js';
import { quote } from './problem.js';

/** Options of a select, found by value without walking the list for every value. */
export interface ChoiceIndex {
  /** undefined where the options are not known. */
  readonly options: readonly Option[] | undefined;
  readonly byValue: ReadonlyMap<unknown, Option>;
  readonly byText: ReadonlyMap<string, Option>;
  /** Those whose values are collections, lists or null, by content. */
  readonly byContent: ContentIndex<Option>;
  /** Values of those that are chosen where nothing else is. */
  readonly defaults: readonly unknown[];
  /** What was expected where a value is none of the options. */
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
    // Most values are one of the options.
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
 * The option a value stands for. A text stands for the number or boolean it spells, and the reverse,
 * where no option has the very value: forms and command lines write all options as text. [choice]
 */
export function findOption(index: ChoiceIndex, value: unknown): Option | undefined {
  if (typeof value === 'object') return index.byContent.find(value);
  return index.byValue.get(value) ?? (isScalar(value) ? index.byText.get(String(value)) : undefined);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Values that `enum` allows, found without walking the list for every value. */
export interface AllowedValues {
  readonly scalars: ReadonlySet<unknown>;
  /** Collections and lists, by their content. */
  readonly contents: ContentIndex<true>;
  /** What is said where a value is none of them. */
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
    // Most values are allowed.
    get expected() {
      expected ??= listChoices(values);
      return expected;
    },
  };
}

/** Whether a value is allowed: by content, where it holds something. */
export function isAllowedValue({ scalars, contents }: AllowedValues, value: unknown): boolean {
  if (scalars.has(value)) return true;
  return typeof value === 'object' && value !== null && contents.find(value) === true;
}

const SHOWN_CHOICES = 10;

/** `one of "a", "b", 3`. */
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

/** What belongs to values that hold others, found by their content. */
class ContentIndex<Known> {
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
