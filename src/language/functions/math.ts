import { functionError } from '../../shared/errors/iml-error.js';
import type { ImlFunction } from '../environment.js';
import { assertTextLength } from '../values/size-limits.js';
import { isEmpty, isMissing, toNumber, toText } from '../values/value.js';
import { asInteger, asList, asNumber, quoted } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/** Maximum number of decimals of `formatNumber`. */
const MAX_DECIMALS = 100;

/**
 * A result that is not a finite number is null.
 * Source: https://help.make.com/math-functions; https://developers.make.com/custom-apps-documentation/block-elements/iml.
 */
export const MATH_FUNCTIONS: FunctionsIn<'math'> = {
  abs: onNumber(Math.abs),
  ceil: onNumber(Math.ceil),
  floor: onNumber(Math.floor),
  round: onNumber(Math.round),
  trunc: onNumber((number, decimals) => truncateDecimal(number, asInteger(decimals, 0))),

  average: onNumbers((numbers) => mean(numbers)),
  max: onNumbers((numbers) => numbers.reduce((most, number) => Math.max(most, number), -Infinity)),
  min: onNumbers((numbers) => numbers.reduce((least, number) => Math.min(least, number), Infinity)),
  sum: onNumbers(sum),
  median: onNumbers(median),
  stdevS: onNumbers((numbers) => deviation(numbers, numbers.length - 1)),
  stdevP: onNumbers((numbers) => deviation(numbers, numbers.length)),

  formatNumber: (_, value, decimals, decimalSeparator, thousandsSeparator) => {
    if (isMissing(value)) return value;
    const places = asInteger(decimals, 0);
    if (places < 0 || places > MAX_DECIMALS) {
      throw functionError(
        `${quoted(decimals)} is not a valid number of decimals. Expected 0 to ${MAX_DECIMALS}.`,
      );
    }
    return formatNumber(
      asNumber(value),
      places,
      separator(decimalSeparator, ','),
      separator(thousandsSeparator, '.'),
    );
  },

  parseNumber: (_, value, decimalSeparator) => {
    if (isMissing(value)) return value;
    return typeof value === 'number' ? asNumber(value) : parseNumber(toText(value), decimalSeparator);
  },
};

/** Creates a function of one number. A missing number is returned unchanged, like the text of text functions. [inf] */
function onNumber(run: (number: number, argument: unknown) => number): ImlFunction {
  return (_, value, argument) => (isMissing(value) ? value : finite(run(asNumber(value), argument)));
}

/**
 * Creates a function of the numbers in an array or in the arguments. Numeric text counts; other values are ignored.
 * Source: https://help.make.com/math-functions. [doc][open]
 */
function onNumbers(run: (numbers: readonly number[]) => number): ImlFunction {
  return (_, ...args) => {
    const numbers: number[] = [];
    for (const arg of args) collectNumbers(Array.isArray(arg) ? asList(arg) : [arg], numbers);
    return finite(run(numbers));
  };
}

function collectNumbers(values: readonly unknown[], into: number[]): void {
  for (let index = 0; index < values.length; index++) {
    const number = toNumber(values[index]);
    if (number !== undefined) into.push(number);
  }
}

/** Converts a non-finite number to null and minus zero to zero. */
function finite(number: number): number | null {
  return Number.isFinite(number) ? number + 0 : null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Standard deviation: the square root of the sum of squared distances from the mean, divided by `divisor`. */
function deviation(numbers: readonly number[], divisor: number): number {
  const center = mean(numbers);
  return divisor < 1 ? Number.NaN : Math.sqrt(sum(numbers.map((number) => (number - center) ** 2)) / divisor);
}

/** Reads a separator. The empty text means no separator. */
function separator(value: unknown, fallback: string): string {
  return isMissing(value) ? fallback : toText(value);
}

/** Source: https://help.make.com/math-functions. */
function formatNumber(number: number, places: number, point: string, thousands: string): string {
  const { negative, whole, fraction } = fixDecimal(number, places);
  assertTextLength(whole.length * (thousands.length + 1) + point.length + fraction.length);
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, () => thousands);
  return `${negative ? '-' : ''}${grouped}${places > 0 ? point + fraction : ''}`;
}

/** [choice] */
function parseNumber(text: string, decimalSeparator: unknown): number {
  const point = isEmpty(decimalSeparator) ? '.' : toText(decimalSeparator);
  if (point !== '.' && point !== ',') {
    throw functionError(`${quoted(point)} is not a valid decimal separator. Expected "." or ",".`);
  }
  const plain = text.replace(point === '.' ? /[\s,]/g : /[\s.]/g, '').replace(',', '.');
  const number = toNumber(plain);
  if (number === undefined) throw functionError(`${quoted(text)} is not a valid number.`);
  return number;
}

/** Shortest decimal form of a number: its absolute value is `0.<digits>` times ten to the power of `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Parts of a formatted number. */
export interface FixedDecimal {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Truncates to `places` decimals. A negative number of places zeroes digits before the decimal point. */
function truncateDecimal(value: number, places: number): number {
  const { digits, point } = toDecimal(value);
  const digitCount = point + places;
  if (digitCount >= digits.length) return value;
  if (digitCount <= 0) return 0;
  return Math.sign(value) * Number(`${digits.slice(0, digitCount)}e${point - digitCount}`);
}

/** Rounds the decimal form to `places` >= 0 decimals, half away from zero: 1.005 to two places is 1.01. */
function fixDecimal(value: number, places: number): FixedDecimal {
  const { digits, point } = toDecimal(value);
  const digitCount = point + places;
  const up = (digits[digitCount] ?? '0') >= '5' ? 1n : 0n;
  const scaled = digitCount < 0 ? 0n : BigInt(digits.slice(0, digitCount).padEnd(digitCount, '0')) + up;
  const text = scaled.toString().padStart(places + 1, '0');
  const split = text.length - places;
  return { negative: value < 0 && scaled > 0n, whole: text.slice(0, split), fraction: text.slice(split) };
}
