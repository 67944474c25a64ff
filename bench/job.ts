import type { Effort, Timing } from './measure.js';

/** A job. Floor and target are ratios to native. */
export interface Job {
  readonly name: string;
  readonly floor: number;
  readonly target: number;
  /** Name of the contestant that floor and target apply to. */
  readonly ours: string;
  readonly run: (effort: Effort) => Promise<JobResult>;
}

export interface JobResult {
  readonly races: readonly Race[];
}

/** Timings by contestant. The first is native. */
export interface Race {
  readonly name: string;
  readonly timings: readonly Timing[];
}

/** Geometric mean of a contestant's ratios over the races of a job; undefined if it took part in none. */
export function meanRatio(result: JobResult, contestant: string): number | undefined {
  const ratios = result.races.flatMap(({ timings }) =>
    timings.filter(({ name }) => name === contestant).map(({ ratio }) => ratio),
  );
  if (ratios.length === 0) return undefined;
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
