import { readDate } from '../date/read-date.js';
import type { Environment } from '../environment/environment.js';
import type { BinaryOperator } from '../syntax/ast.js';
import { toArithmetic, toText } from '../values/coerce.js';
import { limitedText } from '../values/size-limits.js';

/** A binary operator that always needs both sides; `&` and `|` do not and are not here. */
export type StrictOperator = Exclude<BinaryOperator, '&' | '|'>;
export type BinaryOperation = (left: unknown, right: unknown) => unknown;

/**
 * The operation behind an operator in this environment.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml.
 */
export function compileOperator(operator: StrictOperator, environment: Environment): BinaryOperation {
  switch (operator) {
    case '+':
      return add;
    case '-':
      return (left, right) => toArithmetic(left) - toArithmetic(right);
    case '*':
      return (left, right) => toArithmetic(left) * toArithmetic(right);
    case '/':
      return (left, right) => toArithmetic(left) / toArithmetic(right);
    case '%':
      return (left, right) => toArithmetic(left) % toArithmetic(right);
    case '=':
      return equality(environment);
    case '!=': {
      const equal = equality(environment);
      return (left, right) => !equal(left, right);
    }
    default:
      return relation(operator, environment.timezone);
  }
}

function equality(environment: Environment): (left: unknown, right: unknown) => boolean {
  const equal = environment.equality === 'loose' ? looselyEqual : isEqual;
  const { sameText } = environment;
  if (sameText === undefined) return equal;
  return (left, right) => {
    if (typeof left !== 'string' || typeof right !== 'string') return equal(left, right);
    return sameText(left, right);
  };
}

/**
 * Addition of numbers; joining where a side is text; a missing side counts as nothing. [doc][choice]
 *
 * @throws ImlError `IML_LIMIT` for a text that would be too long
 */
export function add(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (left === undefined || left === null) return right ?? null;
  if (right === undefined || right === null) return left;
  if (isNumeric(left) && isNumeric(right)) return Number(left) + Number(right);
  return limitedText(toText(left) + toText(right));
}

function isNumeric(value: unknown): value is number | Date {
  return typeof value === 'number' || value instanceof Date;
}

/** Strict equality; null equals undefined, dates are equal by instant. [doc][choice] */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === undefined || left === null) return right === undefined || right === null;
  return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
}

/** Equality of the `loose` option: a number and the text that reads as it are equal, too. Objects keep their identity. */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (isEqual(left, right)) return true;
  if (typeof left === typeof right || !isScalar(left) || !isScalar(right)) return false;
  // biome-ignore lint/suspicious/noDoubleEquals: JavaScript's rule for scalars is what the option asks for.
  return left == right;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

type Comparable = string | number | boolean;

function relation(operator: '<' | '<=' | '>' | '>=', timezone: string): BinaryOperation {
  const holds = RELATIONS[operator];
  return (left, right) => {
    const a = comparable(left, right, timezone);
    const b = comparable(right, left, timezone);
    if (a === undefined || b === undefined) return false;
    return holds(a, b);
  };
}

const RELATIONS: Readonly<Record<'<' | '<=' | '>' | '>=', (a: Comparable, b: Comparable) => boolean>> = {
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
