import { readDate } from '../date/read-date.js';
import type { Environment } from '../environment/environment.js';
import { toText } from '../values/coerce.js';
import { limitedText } from '../values/size-limits.js';
import { DECIMAL } from './decimal.js';

export type BinaryOperation = (left: unknown, right: unknown) => unknown;
type Equality = (left: unknown, right: unknown) => boolean;

/** The comparison behind `=` and `!=`. Two texts go to the environment's own comparison, if it has one. */
export function equality({ semantics, sameText }: Environment): Equality {
  const equal = semantics === 'documented' ? isEqual : looselyEqual;
  if (sameText === undefined) return equal;
  return (left, right) =>
    typeof left === 'string' && typeof right === 'string' ? sameText(left, right) : equal(left, right);
}

/**
 * Addition of numbers; joining where a side is text; a missing side counts as nothing. [doc][choice]
 *
 * @throws ImlError `IML_LIMIT` for a text that would be too long
 */
export function add(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return DECIMAL['+'](left, right);
  if (left === undefined || left === null) return right ?? null;
  if (right === undefined || right === null) return left;
  if (isNumeric(left) && isNumeric(right)) return DECIMAL['+'](Number(left), Number(right));
  return limitedText(toText(left) + toText(right));
}

function isNumeric(value: unknown): value is number | Date {
  return typeof value === 'number' || value instanceof Date;
}

/** Strict equality of `semantics: 'documented'`; null equals undefined, dates are equal by instant. [doc][choice] */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === undefined || left === null) return right === undefined || right === null;
  return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
}

/**
 * Equality of Make's runtime, JavaScript's `==`: a number equals the text that reads as it, a boolean counts as a number,
 * a list as the text of its items. Dates stay equal by instant. [rt]
 */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (isEqual(left, right)) return true;
  if (typeof left === typeof right) return false;
  const a = toScalar(left);
  const b = toScalar(right);
  // biome-ignore lint/suspicious/noDoubleEquals: JavaScript's rule for scalars is the rule here.
  return a !== undefined && b !== undefined && a == b;
}

/** What `==` makes of a value before it compares. Undefined for a value that equals no scalar. */
function toScalar(value: unknown): Comparable | undefined {
  return Array.isArray(value) ? toText(value) : isScalar(value) ? value : undefined;
}

function isScalar(value: unknown): value is Comparable {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

type Comparable = string | number | boolean;

export type Relation = '<' | '<=' | '>' | '>=';

export function relation(operator: Relation, timezone: string): BinaryOperation {
  const holds = RELATIONS[operator];
  return (left, right) => {
    const a = comparable(left, right, timezone);
    const b = comparable(right, left, timezone);
    if (a === undefined || b === undefined) return false;
    return holds(a, b);
  };
}

const RELATIONS: Readonly<Record<Relation, (a: Comparable, b: Comparable) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/**
 * What a side counts as in a comparison, or undefined where it cannot be compared (then the relation is false).
 * Text beside a date is read as a date. [app] Collections and arrays do not compare. [inf]
 */
function comparable(value: unknown, other: unknown, timezone: string): Comparable | undefined {
  if (value === null) return 0;
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' && other instanceof Date) return readDate(value, timezone)?.getTime();
  return isScalar(value) ? value : undefined;
}
