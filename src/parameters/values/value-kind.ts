import { isBuffer, isDate } from '../../iml/values/coerce.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** What a value is, in the words of the language. `unreadable` is for host values that are none of these. */
export type ValueKind =
  | 'unset'
  | 'null'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'buffer'
  | 'array'
  | 'collection'
  | 'unreadable';

/** The kind of any value; never throws, whatever a Proxy of the embedder does. */
export function classifyValue(value: unknown): ValueKind {
  switch (typeof value) {
    case 'undefined':
      return 'unset';
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return value === null ? 'null' : (attempt(() => objectKind(value)) ?? 'unreadable');
    default:
      return 'unreadable';
  }
}

function objectKind(value: object): ValueKind {
  if (Array.isArray(value)) return 'array';
  if (isDate(value)) return 'date';
  if (isBuffer(value)) return 'buffer';
  return isPlainObject(value) ? 'collection' : 'unreadable';
}

/** A copy of the own members of a plain object; undefined where reading them fails. */
export function copyMembers(value: unknown): PlainObject | undefined {
  return attempt(() => {
    if (!isPlainObject(value)) return undefined;
    const copy: PlainObject = {};
    for (const name of Object.keys(value)) setMember(copy, name, value[name]);
    return copy;
  });
}

/** What was expected where members could not be copied: a collection of the embedder's may throw when it is read. */
export function expectedCollection(value: unknown): string {
  return classifyValue(value) === 'collection' ? 'a collection that can be read' : 'a collection';
}

/** A copy of the items of an array; undefined where reading them fails. */
export function copyItems(value: unknown): unknown[] | undefined {
  return attempt(() => (Array.isArray(value) ? Array.from(value as readonly unknown[]) : undefined));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
