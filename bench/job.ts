import type { Effort, Timing } from './measure.js';

/** A job with its floor and target, both as ratios to native. */
export interface Job {
  readonly name: string;
  readonly floor: number;
  readonly target: number;
  /** The contestant that floor and target are about. */
  readonly ours: string;
  readonly run: (effort: Effort) => Promise<JobResult>;
}

export interface JobResult {
  readonly races: readonly Race[];
}

/** One line of results for each contestant; the first is native. */
export interface Race {
  readonly name: string;
  readonly timings: readonly Timing[];
}

/** Geometric mean of a contestant's ratios over the races of a job; undefined for one that did not take part. */
export function meanRatio(result: JobResult, contestant: string): number | undefined {
  const ratios = result.races.flatMap(({ timings }) =>
    timings.filter(({ name }) => name === contestant).map(({ ratio }) => ratio),
  );
  if (ratios.length === 0) return undefined;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
