import { Decimal } from 'decimal.js';
import { readDate } from '../date/read-date.js';
import type { Environment } from '../environment/environment.js';
import { toText } from '../values/coerce.js';
import { limitedText } from '../values/size-limits.js';

export type BinaryOperation = (left: unknown, right: unknown) => unknown;
type Equality = (left: unknown, right: unknown) => boolean;

/** Returns the comparison of `=` and `!=`. `sameText` of the environment compares two texts, if it is set. */
export function equality({ semantics, sameText }: Environment): Equality {
  const equal = semantics === 'documented' ? isEqual : looselyEqual;
  if (sameText === undefined) return equal;
  return (left, right) =>
    typeof left === 'string' && typeof right === 'string' ? sameText(left, right) : equal(left, right);
}

/**
 * Adds numbers, or concatenates if an operand is not numeric. A missing operand is ignored. [doc][choice]
 *
 * @throws ImlError `IML_LIMIT` for a text that is too long
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

/** Strict equality of `semantics: 'documented'`. Null equals undefined; dates are equal by instant. [doc][choice] */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === undefined || left === null) return right === undefined || right === null;
  return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
}

/**
 * Equality of Make's runtime, which is `==` of JavaScript: a number equals its text, a boolean counts as a number and an
 * array as the text of its items. Dates are equal by instant. [rt]
 */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (isEqual(left, right)) return true;
  if (typeof left === typeof right) return false;
  const a = toScalar(left);
  const b = toScalar(right);
  // biome-ignore lint/suspicious/noDoubleEquals: the rule of Make's runtime is that of JavaScript.
  return a !== undefined && b !== undefined && a == b;
}

/** Converts an operand of `==` to a scalar; undefined for a value that equals no scalar. */
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
 * Converts an operand of a relation; undefined makes the relation false. Text is parsed as a date if the other operand is
 * a date. [app] Collections and arrays are not comparable. [inf]
 */
function comparable(value: unknown, other: unknown, timezone: string): Comparable | undefined {
  if (value === null) return 0;
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' && other instanceof Date) return readDate(value, timezone)?.getTime();
  return isScalar(value) ? value : undefined;
}

export type DecimalOperator = '+' | '*' | '/' | '%';

/**
 * Decimal arithmetic, so that 0.1 + 0.2 is 0.3, with 20 significant digits, the default of decimal.js. Integers and
 * numbers with few decimals are computed exactly as scaled integers, which is much faster.
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
  // Adding 0 converts minus zero to zero, as decimal.js does.
  '%': (left, right) => {
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return (left % right) + 0;
    const scale = commonScale(left, right);
    return scale === undefined
      ? compute('%', left, right)
      : ((Math.round(left * scale) % Math.round(right * scale)) + 0) / scale;
  },
};

/** Scales of the fast path. decimal.js computes numbers with more decimals. */
const SCALES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Integers below this limit have at most 15 digits, so each decimal number of that length is a distinct double. */
const MAX_SCALED = 1e15;

/** Returns the smallest scale that makes a number an integer; undefined if no scale does. */
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

/** A clone with default settings, because all packages of a process share the settings of `Decimal`. */
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
