import type { Effort } from './measure.js';

/** A job whose figure has a unit instead of being a ratio to native. */
export interface Gauge {
  readonly name: string;
  readonly floor: number;
  readonly target: number;
  /** Unit of the figures; empty for an exponent. */
  readonly unit: 'us' | 'ms' | 'MB' | '';
  readonly run: (effort: Effort) => Promise<readonly Reading[]>;
}

export interface Reading {
  readonly name: string;
  readonly value: number;
  /** Whether floor and target apply to it. */
  readonly isOurs: boolean;
}

/** Our worst reading, which is compared with floor and target. */
export function figureOf(readings: readonly Reading[]): number {
  const ours = readings.filter(({ isOurs }) => isOurs).map(({ value }) => value);
  return ours.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ours);
}
