import { isPlainObject } from '../../shared/plain-object.js';
import { isBuffer, isDate } from './coerce.js';

/** Kind of a value in the terms of the language. `unreadable` stands for any other JavaScript value. */
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

/** Classifies any value. Never throws, not even for a hostile Proxy. */
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

/** Describes the kind of a value for a message, without its content: `text`, `a number`, `an array`, `nothing`. */
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

/** Whether a value is a number but not a safe integer. `JSON.parse` rounds integers above 2^53, so two ids can collide. */
export function isUnsafeNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}
