import { isPlainObject } from '../../util/plain-object.js';
import { isBuffer, isDate } from './coerce.js';

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
      return value === null ? 'null' : objectKind(value);
    default:
      return 'unreadable';
  }
}

function objectKind(value: object): ValueKind {
  try {
    if (Array.isArray(value)) return 'array';
    if (isDate(value)) return 'date';
    if (isBuffer(value)) return 'buffer';
    return isPlainObject(value) ? 'collection' : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** What kind of value it is, as messages name it without showing it: `text`, `a number`, `an array`, `nothing`. */
export function describeType(value: unknown): string {
  const kind = classifyValue(value);
  switch (kind) {
    case 'unset':
      return 'nothing';
    case 'null':
    case 'text':
      return kind;
    case 'array':
      return 'an array';
    case 'unreadable':
      return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
    default:
      return `a ${kind}`;
  }
}

/** Whether a value is a number that is no safe integer: JSON rounds integers above 2^53, so two ids can become one. */
export function isUnsafeNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}
