import { type Job, type JobResult, meanRatio } from './job.js';

/** Prints a job as a table: a line for each contestant of each race, then how ours stands to floor and target. */
export function printResult(job: Job, result: JobResult): void {
  console.log(`\n${job.name}`);
  for (const { name, timings } of result.races) {
    console.log(`  ${name}`);
    for (const timing of timings) {
      const cells = [
        timing.name.padEnd(26),
        formatTime(timing.bestNs).padStart(10),
        `${formatRatio(timing.ratio)}x`.padStart(9),
        `spread ${timing.spread.toFixed(2)}`.padStart(13),
      ];
      console.log(`    ${cells.join('')}`);
    }
  }
  if (result.races.length > 1) printMeans(result);
  console.log(`  ${verdict(job, meanRatio(result, job.ours) ?? Number.POSITIVE_INFINITY)}`);
}

function printMeans(result: JobResult): void {
  const names = new Set(result.races.flatMap(({ timings }) => timings.map(({ name }) => name)));
  const means = [...names].map((name) => `${name} ${formatRatio(meanRatio(result, name) ?? Number.NaN)}x`);
  console.log(`  geometric mean: ${means.join(', ')}`);
}

function verdict(job: Job, ratio: number): string {
  const word = ratio <= job.target ? 'target reached' : ratio <= job.floor ? 'floor holds' : 'FLOOR MISSED';
  return `${word}: ${formatRatio(ratio)}x (floor ${job.floor}x, target ${job.target}x)`;
}

function formatRatio(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0);
}

function formatTime(ns: number): string {
  if (ns < 1e4) return `${ns.toFixed(1)} ns`;
  return ns < 1e7 ? `${(ns / 1e3).toFixed(1)} us` : `${(ns / 1e6).toFixed(1)} ms`;
}
