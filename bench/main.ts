import { COLD_TEMPLATES } from './expressions/cold.js';
import { DISTINCT_TEMPLATES } from './expressions/distinct.js';
import { OBJECT_OF_TEMPLATES } from './expressions/object.js';
import { SINGLE_EXPRESSIONS } from './expressions/single.js';
import { figureOf, type Gauge } from './gauge.js';
import { GROWTH } from './growth/growth.js';
import { type Job, meanRatio } from './job.js';
import type { Effort } from './measure.js';
import { RESIDENT_APPS } from './memory/resident-apps.js';
import { STREAMED_RECORDS } from './memory/streamed-records.js';
import { LARGE_PAGES, SLOW_PAGES, SMALL_PAGES } from './pages/pages.js';
import { printReadings, printResult } from './report.js';
import { START_UP } from './start-up/start-up.js';
import { WEBHOOK_JOBS } from './webhook/calls.js';

const JOBS: readonly (Job | Gauge)[] = [
  SINGLE_EXPRESSIONS,
  DISTINCT_TEMPLATES,
  OBJECT_OF_TEMPLATES,
  COLD_TEMPLATES,
  SMALL_PAGES,
  LARGE_PAGES,
  SLOW_PAGES,
  ...WEBHOOK_JOBS,
  RESIDENT_APPS,
  STREAMED_RECORDS,
  START_UP,
  GROWTH,
];

const FULL: Effort = { rounds: 15, batchMs: 20 };
const SMOKE: Effort = { rounds: 2, batchMs: 1 };

/**
 * `npm run bench [-- WORD...]` runs the jobs whose name holds one of the words, all without one, and ends with 1 where
 * a floor does not hold. With `--smoke` everything runs small: outputs are compared, floors only reported.
 */
async function main(args: readonly string[]): Promise<number> {
  const isSmoke = args.includes('--smoke');
  const words = args.filter((arg) => !arg.startsWith('-')).map((word) => word.toLowerCase());
  const jobs = JOBS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
  );
  let missed = 0;
  for (const job of jobs) {
    if (!(await holdsFloor(job, isSmoke ? SMOKE : FULL, isSmoke))) missed++;
  }
  if (missed > 0) console.log(`${missed} of ${jobs.length} floors do not hold.`);
  return missed > 0 && !isSmoke ? 1 : 0;
}

/** A floor is missed only if a second run misses it, too: other work on the machine is not our slowness. */
async function holdsFloor(job: Job | Gauge, effort: Effort, isSmoke: boolean): Promise<boolean> {
  const figure = await measure(job, effort);
  if (isSmoke || figure <= job.floor) return figure <= job.floor;
  console.log('The floor is missed; once more.');
  return (await measure(job, effort)) <= job.floor;
}

/** Runs and prints a job. @returns what its floor is held against */
async function measure(job: Job | Gauge, effort: Effort): Promise<number> {
  if ('unit' in job) {
    const readings = await job.run(effort);
    printReadings(job, readings);
    return figureOf(readings);
  }
  const result = await job.run(effort);
  printResult(job, result);
  return meanRatio(result, job.ours) ?? Number.POSITIVE_INFINITY;
}

process.exitCode = await main(process.argv.slice(2));
