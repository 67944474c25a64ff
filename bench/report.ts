import { figureOf, type Gauge, type Reading } from './gauge.js';
import { type Job, type JobResult, meanRatio } from './job.js';

/** Prints a job as a table and compares our figure with floor and target. */
export function printResult(job: Job, result: JobResult): void {
  printRaces(job.name, result);
  console.log(`  ${verdict(job, meanRatio(result, job.ours) ?? Number.POSITIVE_INFINITY, 'x')}`);
}

/** Prints one line per contestant of each race. */
export function printRaces(title: string, result: JobResult): void {
  console.log(`\n${title}`);
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
}

/** Prints one line per reading and compares our worst reading with floor and target. */
export function printReadings(gauge: Gauge, readings: readonly Reading[]): void {
  console.log(`\n${gauge.name}`);
  const unit = gauge.unit === '' ? '' : ` ${gauge.unit}`;
  for (const { name, value } of readings) {
    console.log(`    ${name.padEnd(36)}${(formatRatio(value) + unit).padStart(10)}`);
  }
  console.log(`  ${verdict(gauge, figureOf(readings), unit)}`);
}

function printMeans(result: JobResult): void {
  const names = new Set(result.races.flatMap(({ timings }) => timings.map(({ name }) => name)));
  const means = [...names].map((name) => `${name} ${formatRatio(meanRatio(result, name) ?? Number.NaN)}x`);
  console.log(`  geometric mean: ${means.join(', ')}`);
}

function verdict({ floor, target }: Job | Gauge, figure: number, unit: string): string {
  const word = figure <= target ? 'target reached' : figure <= floor ? 'floor holds' : 'FLOOR MISSED';
  return `${word}: ${formatRatio(figure)}${unit} (floor ${floor}${unit}, target ${target}${unit})`;
}

function formatRatio(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0);
}

function formatTime(ns: number): string {
  if (ns < 1e4) return `${ns.toFixed(1)} ns`;
  return ns < 1e7 ? `${(ns / 1e3).toFixed(1)} us` : `${(ns / 1e6).toFixed(1)} ms`;
}
