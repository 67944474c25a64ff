/** The shortest decimal form of a number: its absolute value is `0.<digits>` times ten to the power of `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** A number cut into the parts that are printed. */
export interface FixedDecimal {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Cuts off what is behind `places` decimals, or, where negative, zeroes so many digits before the point. */
export function truncateDecimal(value: number, places: number): number {
  const { digits, point } = toDecimal(value);
  const kept = point + places;
  if (kept >= digits.length) return value;
  if (kept <= 0) return 0;
  return Math.sign(value) * Number(`${digits.slice(0, kept)}e${point - kept}`);
}

/** Rounds to `places` >= 0 decimals, half away from zero on the decimal form: 1.005 to two places is 1.01. */
export function fixDecimal(value: number, places: number): FixedDecimal {
  const { digits, point } = toDecimal(value);
  const kept = point + places;
  const up = (digits[kept] ?? '0') >= '5' ? 1n : 0n;
  const scaled = kept < 0 ? 0n : BigInt(digits.slice(0, kept).padEnd(kept, '0')) + up;
  const text = scaled.toString().padStart(places + 1, '0');
  const split = text.length - places;
  return { negative: value < 0 && scaled > 0n, whole: text.slice(0, split), fraction: text.slice(split) };
}
