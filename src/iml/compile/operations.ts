import { Decimal } from 'decimal.js';
import { readDate } from '../date/read-date.js';
import type { Environment } from '../environment/environment.js';
import { toText } from '../values/coerce.js';
import { limitedText } from '../values/size-limits.js';

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

export type DecimalOperator = '+' | '*' | '/' | '%';

/**
 * Arithmetic on the decimal forms of two numbers, so that 0.1 + 0.2 is 0.3: 20 significant digits, as decimal.js has
 * by default. Whole numbers and numbers with few decimals are computed exactly as scaled integers, which is much faster.
 */
export const DECIMAL: Readonly<Record<DecimalOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => {
    const sum = left + right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(sum)) return sum;
    const scale = commonScale(left, right);
    const scaled = scale === undefined ? Number.NaN : Math.round(left * scale) + Math.round(right * scale);
    return Number.isSafeInteger(scaled) ? scaled / (scale ?? 1) : compute('+', left, right);
  },
  '*': (left, right) => {
    const product = left * right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(product)) {
      return product;
    }
    const leftScale = scaleOf(left);
    const rightScale = scaleOf(right);
    if (leftScale === undefined || rightScale === undefined) return compute('*', left, right);
    const scaled = Math.round(left * leftScale) * Math.round(right * rightScale);
    return Number.isSafeInteger(scaled) ? scaled / (leftScale * rightScale) : compute('*', left, right);
  },
  '/': (left, right) => {
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left / right;
    const scale = commonScale(left, right);
    return scale === undefined
      ? compute('/', left, right)
      : Math.round(left * scale) / Math.round(right * scale);
  },
  // A result of minus zero becomes zero, as in decimal.js.
  '%': (left, right) => {
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return (left % right) + 0;
    const scale = commonScale(left, right);
    return scale === undefined
      ? compute('%', left, right)
      : ((Math.round(left * scale) % Math.round(right * scale)) + 0) / scale;
  },
};

/** Scales that are tried: numbers with more decimals are left to decimal.js. */
const SCALES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Integers up to here have at most 15 digits, so that no other decimal form of 15 digits reads as the same number. */
const MAX_SCALED = 1e15;

/** The smallest scale by which a number is whole; undefined if none of them is found. */
function scaleOf(number: number): number | undefined {
  for (const scale of SCALES) {
    const scaled = Math.round(number * scale);
    if (scaled / scale === number) return Math.abs(scaled) < MAX_SCALED ? scale : undefined;
  }
  return undefined;
}

function commonScale(left: number, right: number): number | undefined {
  const leftScale = scaleOf(left);
  const rightScale = scaleOf(right);
  if (leftScale === undefined || rightScale === undefined) return undefined;
  const scale = Math.max(leftScale, rightScale);
  return Math.abs(left * scale) < MAX_SCALED && Math.abs(right * scale) < MAX_SCALED ? scale : undefined;
}

/** A copy with the defaults, as the configuration of `Decimal` itself is shared by all packages of a process. */
const Numbers = Decimal.clone({ defaults: true });

function compute(operator: DecimalOperator, left: number, right: number): number {
  const [a, b] = [new Numbers(left), new Numbers(right)];
  switch (operator) {
    case '+':
      return a.plus(b).toNumber();
    case '*':
      return a.times(b).toNumber();
    case '/':
      return a.dividedBy(b).toNumber();
    case '%':
      return a.modulo(b).toNumber();
  }
}
