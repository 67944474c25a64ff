import { Decimal } from 'decimal.js';

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
