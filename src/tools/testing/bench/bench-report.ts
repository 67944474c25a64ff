import type { RunTimes } from './page-stopwatch.js';
import type { SkippedCase } from './workload.js';

/** Figures of a module. Times are in milliseconds, shares from 0 to 1. */
export interface BenchReport {
  readonly app: string;
  readonly module: string;
  /** Source of the responses: recorded cases, generated pages, or the API. */
  readonly service: 'cases' | 'pages' | 'live';
  /** Delay of each response of the mock service. */
  readonly latencyMs: number;
  readonly workloads: readonly BenchWorkload[];
  /** Cases that were not measured. */
  readonly skipped: readonly SkippedCase[];
  /** Largest resident memory of this process so far. */
  readonly maxRssBytes: number;
}

/** Figures of one workload: a case, or the API. */
export interface BenchWorkload {
  /** The case; `live` for the API. */
  readonly name: string;
  /** Requests of one run. */
  readonly pages: number;
  /** Bundles of one run. */
  readonly records: number;
  readonly rounds: number;
  readonly runsPerRound: number;
  readonly current: BenchFigures;
  /** With `compareWith`. */
  readonly compared?: BenchFigures;
  readonly comparison?: BenchComparison;
}

/** Figures of one version of an app. */
export interface BenchFigures {
  readonly pagesPerSecond: number;
  readonly recordsPerSecond: number;
  /** Mean time of a run in each round, and the median of all rounds. */
  readonly roundMs: readonly number[];
  readonly medianMs: number;
  /** From one request to the next, over all runs. */
  readonly pageMs: { readonly p50: number; readonly p95: number };
  /** Median time of each page. */
  readonly pages: readonly number[];
  /** Share of the time of requests and delays. */
  readonly waiting: number;
  /** Share of the time from a response to its decoded body. */
  readonly decoding: number;
  /** Share of the remaining time: expressions, requests, bundles. */
  readonly evaluating: number;
  /** CPU time of a run. */
  readonly cpuMs: number;
  /** Largest heap, with external memory. */
  readonly peakHeapBytes: number;
}

/** Comparison of two versions. A ratio above 1 means that the current version is slower. */
export interface BenchComparison {
  /** Median of the current version over the median of the other one. */
  readonly ratio: number;
  /** Lowest and highest ratio of one round: a wide range means that the machine was busy. */
  readonly lowest: number;
  readonly highest: number;
  /** The same for CPU time. */
  readonly cpuRatio: number;
  /** Whether `cpuRatio` or `lowest` exceeds the tolerance, in a second measurement too; false without a tolerance. */
  readonly isSlower: boolean;
}

/** Runs of one round. */
export type Round = readonly RunTimes[];

/** @param records bundles of one run */
export function summarize(rounds: readonly Round[], records: number): BenchFigures {
  const runs = rounds.flat();
  const total = sum(runs, ({ totalMs }) => totalMs);
  const waiting = sum(runs, ({ waitingMs }) => waitingMs) / total;
  const decoding = sum(runs, ({ decodingMs }) => decodingMs) / total;
  const roundMs = rounds.map((round) => sum(round, ({ totalMs }) => totalMs) / round.length);
  const medianMs = median(roundMs);
  const pageCount = runs[0]?.pageMs.length ?? 0;
  const all = runs.flatMap(({ pageMs }) => pageMs);
  return {
    pagesPerSecond: (pageCount * 1000) / medianMs,
    recordsPerSecond: (records * 1000) / medianMs,
    roundMs,
    medianMs,
    pageMs: { p50: percentile(all, 0.5), p95: percentile(all, 0.95) },
    pages: Array.from({ length: pageCount }, (_, page) =>
      median(runs.map(({ pageMs }) => pageMs[page] ?? Number.NaN)),
    ),
    waiting,
    decoding,
    evaluating: Math.max(0, 1 - waiting - decoding),
    cpuMs: sum(runs, ({ cpuMs }) => cpuMs) / runs.length,
    peakHeapBytes: Math.max(...runs.map(({ peakHeapBytes }) => peakHeapBytes)),
  };
}

/** Ratios of the rounds of two versions that alternated. */
export function compareFigures(
  current: BenchFigures,
  other: BenchFigures,
): Omit<BenchComparison, 'isSlower'> {
  const ratios = current.roundMs.map((ms, round) => ms / (other.roundMs[round] ?? Number.NaN));
  return {
    ratio: current.medianMs / other.medianMs,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    cpuRatio: current.cpuMs / other.cpuMs,
  };
}

function sum(runs: readonly RunTimes[], read: (run: RunTimes) => number): number {
  return runs.reduce((total, run) => total + read(run), 0);
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The smallest value that a share of all values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
