import { COLD_TEMPLATES } from './expressions/cold.js';
import { DISTINCT_TEMPLATES } from './expressions/distinct.js';
import { OBJECT_OF_TEMPLATES } from './expressions/object.js';
import { SINGLE_EXPRESSIONS } from './expressions/single.js';
import { type Job, type JobResult, meanRatio } from './job.js';
import type { Effort } from './measure.js';
import { LARGE_PAGES, SMALL_PAGES } from './pages/pages.js';
import { printResult } from './report.js';
import { WEBHOOK_JOBS } from './webhook/calls.js';

const JOBS: readonly Job[] = [
  SINGLE_EXPRESSIONS,
  DISTINCT_TEMPLATES,
  OBJECT_OF_TEMPLATES,
  COLD_TEMPLATES,
  SMALL_PAGES,
  LARGE_PAGES,
  ...WEBHOOK_JOBS,
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
async function holdsFloor(job: Job, effort: Effort, isSmoke: boolean): Promise<boolean> {
  const first = await job.run(effort);
  printResult(job, first);
  if (isSmoke || ratioOf(job, first) <= job.floor) return ratioOf(job, first) <= job.floor;
  console.log('The floor is missed; once more.');
  const second = await job.run(effort);
  printResult(job, second);
  return ratioOf(job, second) <= job.floor;
}

function ratioOf(job: Job, result: JobResult): number {
  return meanRatio(result, job.ours) ?? Number.POSITIVE_INFINITY;
}

process.exitCode = await main(process.argv.slice(2));
