import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { splitWords, toLabel } from '../names.js';

/** A field of a form or an interface. */
export interface InferredField {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  /** Fields of a collection, or the spec of the items of an array. */
  readonly spec?: readonly InferredField[] | InferredItem;
}

/** The items of an array that are no objects. */
export interface InferredItem {
  readonly type: string;
  readonly spec?: InferredItem;
}

/** Deepest nesting of fields; deeper objects have the type `any`. */
const MAX_DEPTH = 20;

/**
 * The fields that describe objects. A member that some objects lack, or that is null in some, is a field too. Values
 * of different types make the type `any`, or `text` if the member is an ID.
 */
export function inferFields(values: readonly unknown[], depth = 0): readonly InferredField[] {
  const names = new Set(values.flatMap((value) => (isPlainObject(value) ? Object.keys(value) : [])));
  return [...names]
    .filter((name) => name !== '')
    .map((name) => {
      const found = values.flatMap((value) => (isPlainObject(value) ? [ownMember(value, name)] : []));
      const { type, spec } = describe(name, found, depth);
      return { name, type, label: toLabel(splitWords(name)) || name, ...(spec !== undefined && { spec }) };
    });
}

interface Described {
  readonly type: string;
  readonly spec?: InferredField['spec'];
}

function describe(name: string, values: readonly unknown[], depth: number): Described {
  // An absent value says nothing, and neither does an empty text.
  const known = values.filter((value) => value !== undefined && value !== null && value !== '');
  if (known.length === 0) return { type: values.includes('') ? 'text' : 'any' };
  if (depth >= MAX_DEPTH) return { type: 'any' };
  if (known.every(isPlainObject)) {
    const spec = inferFields(known, depth + 1);
    return spec.length === 0 ? { type: 'collection' } : { type: 'collection', spec };
  }
  if (known.every((value) => Array.isArray(value))) return describeArray(name, known.flat(1), depth);
  return { type: scalarType(name, known) };
}

function describeArray(name: string, items: readonly unknown[], depth: number): Described {
  if (items.length === 0) return { type: 'array' };
  const { type, spec } = describe(name, items, depth + 1);
  if (type === 'collection') return Array.isArray(spec) ? { type: 'array', spec } : { type: 'array' };
  return {
    type: 'array',
    spec: { type, ...(spec !== undefined && !Array.isArray(spec) && { spec: spec as InferredItem }) },
  };
}

/** `id`, `user_id`, `userId`, `externalID`. */
function isId(name: string): boolean {
  return /(?:^|[_-])id$|I[dD]$/.test(name);
}

/** A date and time with a zone. Dates without one stay text. [inf] */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/;

function scalarType(name: string, values: readonly unknown[]): string {
  const types = new Set(values.map((value) => typeOf(name, value)));
  if (types.size === 1) return [...types][0] ?? 'any';
  const isIn = (...names: readonly string[]): boolean => [...types].every((type) => names.includes(type));
  if (isIn('text', 'email', 'url', 'uuid', 'date') && !values.some((value) => value instanceof Date))
    return 'text';
  if (isIn('number', 'uinteger')) return 'number';
  if (isId(name) && isIn('number', 'uinteger', 'text', 'uuid')) return 'text';
  return 'any';
}

function typeOf(name: string, value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'number':
      return isId(name) && Number.isInteger(value) && value >= 0 ? 'uinteger' : 'number';
    case 'string':
      if (DATE_TIME.test(value)) return 'date';
      if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return 'uuid';
      if (/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(value)) return 'email';
      return /^https?:\/\/\S+$/i.test(value) ? 'url' : 'text';
    default:
      if (value instanceof Date) return 'date';
      if (value instanceof Uint8Array) return 'buffer';
      return isPlainObject(value) ? 'collection' : Array.isArray(value) ? 'array' : 'any';
  }
}

/**
 * One object with the members of all: of each the first value that is there, and of lists the first item. Values that
 * can identify a person or give access are replaced, as samples are a part of the app.
 *
 * @param isSecret whether values of a member are secret
 */
export function inferSample(values: readonly unknown[], isSecret: (name: string) => boolean): PlainObject {
  const sample: PlainObject = {};
  for (const name of new Set(values.flatMap((value) => (isPlainObject(value) ? Object.keys(value) : [])))) {
    const found = values.flatMap((value) => (isPlainObject(value) ? [ownMember(value, name)] : []));
    setMember(sample, name, sampleOf(name, found, isSecret));
  }
  return sample;
}

function sampleOf(name: string, values: readonly unknown[], isSecret: (name: string) => boolean): unknown {
  const known = values.filter((value) => value !== undefined && value !== null && value !== '');
  const [first] = known;
  if (first === undefined) return values.find((value) => value !== undefined) ?? null;
  if (isPlainObject(first)) return inferSample(known, isSecret);
  if (Array.isArray(first)) {
    const items = known.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
    return items.length === 0 ? [] : [sampleOf(name, items, isSecret)];
  }
  if (first instanceof Date) return first.toISOString();
  if (first instanceof Uint8Array) return '';
  if (typeof first !== 'string') return first;
  if (isSecret(name)) return 'secret';
  return first.replace(/[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+/g, 'name@example.com').slice(0, MAX_SAMPLE_TEXT);
}

/** Longer texts of samples are cut. */
const MAX_SAMPLE_TEXT = 200;
