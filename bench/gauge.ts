import type { Effort } from './measure.js';

/** A job whose floor and target are no ratio to native, but a figure in a unit of its own. */
export interface Gauge {
  readonly name: string;
  readonly floor: number;
  readonly target: number;
  /** What stands behind figures; empty for an exponent. */
  readonly unit: 'ms' | 'MB' | '';
  readonly run: (effort: Effort) => Promise<readonly Reading[]>;
}

export interface Reading {
  readonly name: string;
  readonly value: number;
  /** Floor and target are about ours; the others stand beside it. */
  readonly isOurs: boolean;
}

/** The worst of ours: what floor and target are held against. */
export function figureOf(readings: readonly Reading[]): number {
  const ours = readings.filter(({ isOurs }) => isOurs).map(({ value }) => value);
  return ours.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ours);
}
