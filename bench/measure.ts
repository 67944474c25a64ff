/** One implementation of a job. `run` returns the output of one input, or a promise of it. */
export interface Contestant<Input> {
  readonly name: string;
  readonly run: (input: Input) => unknown;
  /** Whether `run` returns promises. Each is awaited before the next input. */
  readonly isAsync?: boolean;
}

/** Amount of measurement. */
export interface Effort {
  readonly rounds: number;
  /** Minimum duration of one measurement of one contestant. */
  readonly batchMs: number;
}

export interface Timing {
  readonly name: string;
  /** Nanoseconds per input in the best round. */
  readonly bestNs: number;
  /** Ratio to the time of the first contestant: see `compare` and `compareRounds`. */
  readonly ratio: number;
  /** Median round divided by the best one. 1 without disturbance. */
  readonly spread: number;
}

interface Racer<Input> {
  readonly contestant: Contestant<Input>;
  readonly count: number;
  readonly rounds: number[];
}

/** Depends on all outputs, so that compilers cannot drop the work. */
let sum = 0;

/** Uses an output. Reading a character flattens concatenated text. */
export function consume(output: unknown): void {
  if (typeof output === 'string') sum += output.charCodeAt(output.length - 1);
  else if (typeof output === 'number') sum += output;
  else if (output !== undefined) sum++;
}

/**
 * Measures contestants alternately, so that other work on the machine affects all of them. The first contestant is the
 * reference.
 */
export async function race<Input>(
  contestants: readonly Contestant<Input>[],
  inputs: readonly Input[],
  effort: Effort,
): Promise<readonly Timing[]> {
  const racers: Racer<Input>[] = [];
  for (const contestant of contestants) {
    racers.push({ contestant, count: await calibrate(contestant, inputs, effort.batchMs), rounds: [] });
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const { contestant, count, rounds } of racers) rounds.push(await time(contestant, inputs, count));
  }
  if (sum === 0) throw new Error('The contestants computed nothing.');
  return compare(racers.map(({ contestant, rounds }) => ({ name: contestant.name, rounds })));
}

/** Rounds of a contestant in nanoseconds per input. */
interface Measured {
  readonly name: string;
  readonly rounds: readonly number[];
}

/** Ratios of the best round to the best round of the first contestant. */
export function compare(measured: readonly Measured[]): readonly Timing[] {
  const nativeNs = Math.min(...(measured[0]?.rounds ?? []));
  return measured.map(({ name, rounds }) => {
    const bestNs = Math.min(...rounds);
    return { name, bestNs, ratio: bestNs / nativeNs, spread: median(rounds) / bestNs };
  });
}

/**
 * Median of the ratios per round. For contestants that wait for another process: the time in which a core wakes varies,
 * so the best rounds are not comparable.
 */
export function compareRounds(measured: readonly Measured[]): readonly Timing[] {
  const native = measured[0]?.rounds ?? [];
  return measured.map(({ name, rounds }) => {
    const bestNs = Math.min(...rounds);
    const ratio = median(rounds.map((ns, round) => ns / (native[round] ?? Number.NaN)));
    return { name, bestNs, ratio, spread: median(rounds) / bestNs };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Warms up and returns the number of inputs per measurement. */
async function calibrate<Input>(
  contestant: Contestant<Input>,
  inputs: readonly Input[],
  batchMs: number,
): Promise<number> {
  let count = inputs.length;
  for (;;) {
    const elapsedMs = ((await time(contestant, inputs, count)) * count) / 1e6;
    if (elapsedMs >= batchMs || count >= 2 ** 24) return count;
    count *= 2;
  }
}

async function time<Input>(
  contestant: Contestant<Input>,
  inputs: readonly Input[],
  count: number,
): Promise<number> {
  const startNs = process.hrtime.bigint();
  if (contestant.isAsync === true) await runAwaited(contestant.run, inputs, count);
  else runAll(contestant.run, inputs, count);
  return Number(process.hrtime.bigint() - startNs) / count;
}

function runAll<Input>(run: (input: Input) => unknown, inputs: readonly Input[], count: number): void {
  const { length } = inputs;
  for (let index = 0, next = 0; index < count; index++) {
    consume(run(inputs[next] as Input));
    next = next + 1 === length ? 0 : next + 1;
  }
}

async function runAwaited<Input>(
  run: (input: Input) => unknown,
  inputs: readonly Input[],
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index++) consume(await run(inputs[index % inputs.length] as Input));
}
