import type { App } from '../../../engine/document/app.js';
import {
  type BenchComparison,
  type BenchWorkload,
  compareFigures,
  type Round,
  summarize,
} from './bench-report.js';
import { type CheckedRun, checkCurrent, checkOther, explainFailure } from './check-outputs.js';
import { type Contestant, openContestant } from './contestant.js';
import type { MockService } from './mock-service.js';
import type { RunTimes } from './page-stopwatch.js';
import type { Workload } from './workload.js';

/** Number and length of rounds. */
export interface RoundOptions {
  /** Default: 10, with `live` 3. */
  readonly rounds?: number | undefined;
  /** Least time of a round: short runs are repeated. Not with `live`. Default: 100. */
  readonly roundMs?: number | undefined;
  /** Percent by which the current version may be slower than the other one. Default: any. */
  readonly tolerance?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each round. */
  readonly onRound?: ((name: string, round: number, rounds: number) => void) | undefined;
}

/** Versions of an app, and where their responses come from. */
export interface Stage {
  /** The current version and the other version. */
  readonly versions: readonly App[];
  readonly module: string;
  /** Name of the workload's script. */
  readonly script: string;
  /** Undefined for the API. */
  readonly service: MockService | undefined;
  readonly latencyMs: number;
}

const DEFAULT_ROUNDS = 10;
/** Rounds against an API, which has to bear them. */
const LIVE_ROUNDS = 3;
const DEFAULT_ROUND_MS = 100;

/** Most runs of a round. */
const MAX_RUNS = 1000;

/**
 * Measures one workload. Each version runs it once, and the outputs are checked; then the versions alternate.
 *
 * @throws CaseError for outputs that are not as recorded or differ; AppError of a failed run; the abort reason
 */
export async function measureWorkload(
  workload: Workload,
  stage: Stage,
  options: RoundOptions,
): Promise<BenchWorkload> {
  const { script, service, latencyMs, module } = stage;
  const { signal, tolerance } = options;
  if (workload.responses !== undefined) await service?.addScript(script, workload.responses);
  const contestants = stage.versions.map((app, index) =>
    openContestant({
      app,
      module,
      workload,
      session: service && { service, script, name: String(index), latencyMs },
      signal,
    }),
  );
  try {
    const checked: CheckedRun[] = [];
    for (const contestant of contestants) checked.push(await runOnce(contestant, workload));
    const [first, second] = checked;
    if (first === undefined) throw new Error('There is no version to measure.');
    checkCurrent(first, workload);
    if (second !== undefined) checkOther(second, first, workload);
    const records = first.bundles.length;
    const runs = service === undefined ? 1 : await countRuns(contestants, options);
    const count = options.rounds ?? (service === undefined ? LIVE_ROUNDS : DEFAULT_ROUNDS);
    const measure = (): Promise<readonly Round[][]> =>
      playRounds(contestants, {
        count,
        runs,
        onRound: (round) => options.onRound?.(workload.name, round, count),
      });
    let rounds = await measure();
    const isBeyond = (measured: readonly Round[][]): boolean => {
      const found = compareRounds(measured, records);
      return tolerance !== undefined && found !== undefined && isBeyondRatio(found, 1 + tolerance / 100);
    };
    let isSlower = isBeyond(rounds);
    if (isSlower) {
      // One slow measurement may be due to other work on the machine.
      const again = await measure();
      isSlower = isBeyond(again);
      rounds = rounds.map((list, index) => [...list, ...(again[index] ?? [])]);
    }
    const [current = [], other] = rounds;
    const comparison = compareRounds(rounds, records);
    return {
      name: workload.name,
      pages: first.times.pageMs.length,
      records,
      rounds: current.length,
      runsPerRound: runs,
      current: summarize(current, records),
      ...(other !== undefined && { compared: summarize(other, records) }),
      ...(comparison !== undefined && { comparison: { ...comparison, isSlower } }),
    };
  } finally {
    for (const contestant of contestants) await contestant.close();
  }
}

/** CPU time hardly depends on other processes. A version that waits longer takes longer in each round. [choice] */
function isBeyondRatio({ cpuRatio, lowest }: Omit<BenchComparison, 'isSlower'>, limit: number): boolean {
  return cpuRatio > limit || lowest > limit;
}

async function runOnce(contestant: Contestant, workload: Workload): Promise<CheckedRun> {
  const bundles: unknown[] = [];
  try {
    const measured = await contestant.run((bundle) => bundles.push(bundle));
    return { ...measured, bundles };
  } catch (error) {
    throw explainFailure(error, contestant.requests(), workload);
  }
}

/** Warms up, and returns the number of runs that take a round's time. */
async function countRuns(
  contestants: readonly Contestant[],
  { roundMs = DEFAULT_ROUND_MS }: RoundOptions,
): Promise<number> {
  let runs = 1;
  for (;;) {
    let totalMs = 0;
    for (const contestant of contestants) totalMs += sumMs(await runRound(contestant, runs));
    if (totalMs / contestants.length >= roundMs || runs >= MAX_RUNS) return runs;
    runs *= 2;
  }
}

interface Rounds {
  readonly count: number;
  readonly runs: number;
  readonly onRound: (round: number) => void;
}

/** The versions change their order with each round, so that neither has the better place. */
async function playRounds(
  contestants: readonly Contestant[],
  { count, runs, onRound }: Rounds,
): Promise<readonly Round[][]> {
  const measured: Round[][] = contestants.map(() => []);
  for (let round = 0; round < count; round++) {
    onRound(round + 1);
    const order = contestants.map((contestant, index) => ({ contestant, index }));
    if (round % 2 === 1) order.reverse();
    for (const { contestant, index } of order) measured[index]?.push(await runRound(contestant, runs));
  }
  return measured;
}

async function runRound(contestant: Contestant, runs: number): Promise<Round> {
  const times: RunTimes[] = [];
  for (let run = 0; run < runs; run++) times.push((await contestant.run()).times);
  return times;
}

function sumMs(round: Round): number {
  return round.reduce((total, { totalMs }) => total + totalMs, 0);
}

/** Undefined for a single version. */
function compareRounds(
  [current = [], other]: readonly Round[][],
  records: number,
): Omit<BenchComparison, 'isSlower'> | undefined {
  if (other === undefined) return undefined;
  return compareFigures(summarize(current, records), summarize(other, records));
}
