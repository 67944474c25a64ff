import type { Job, JobResult } from '../job.js';
import { compareRounds, type Effort, type Timing } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import { engineReader, fetchReader, gotReader, nativeReader, type PageReader } from './contestants.js';
import type { PageSizes } from './records.js';
import { SIZE, startServer } from './start-server.js';

/** Reads all pages from a server in another process, one after the other. */
export const SMALL_PAGES: Job = {
  name: 'J2 50 pages x 64 records, 10 kB pages',
  floor: 2.1,
  target: 1.15,
  ours: 'iml-runtime',
  run: (effort) => racePages({ pages: 50, records: 64, pageBytes: 10_000 }, effort),
};

/** The same where reading the body is nearly all of the work. */
export const LARGE_PAGES: Job = {
  name: 'J2 8 pages of 2 MB, 64 records each',
  floor: 1.2,
  target: 1.05,
  ours: 'iml-runtime',
  run: (effort) => racePages({ pages: 8, records: 64, pageBytes: 2_000_000 }, effort),
};

/** The same where nearly all of the time is the server's: what counts is that nothing waits twice. */
export const SLOW_PAGES: Job = {
  name: 'J2 10 pages of 10 kB from a server that takes 20 ms for each',
  floor: 1.05,
  target: 1.02,
  ours: 'iml-runtime',
  run: ({ rounds }) =>
    racePages(
      { pages: 10, records: 64, pageBytes: 10_000, delayMs: 20 },
      { rounds: Math.ceil(rounds / 8), batchMs: 0 },
    ),
};

const IN_TURN = [nativeReader, engineReader, gotReader, fetchReader] as const;

async function racePages(sizes: PageSizes, effort: Effort): Promise<JobResult> {
  const { origin, stop } = await startServer(sizes);
  const readers = IN_TURN.map((make) => make(origin, SIZE));
  try {
    const contestants = readers.map(({ name, read }) => ({ name, run: read }));
    await assertSameOutputs('pages', contestants, [undefined]);
    const name = `${sizes.pages} pages, ${sizes.pages * sizes.records} records`;
    return { races: [{ name, timings: await raceReaders(readers, effort) }] };
  } finally {
    await Promise.all(readers.map(({ close }) => close()));
    await stop();
  }
}

/**
 * One run of each in turn, over and over; the first rounds are not counted. There are many of them, as what runs once a
 * page is compiled late. Whoever comes after a reader that leaves much behind pays for it, so every other round goes
 * backwards: then native has ours before it, and ours has got.
 */
async function raceReaders(readers: readonly PageReader[], { rounds }: Effort): Promise<readonly Timing[]> {
  const measured = readers.map(({ name, read }) => ({ name, read, rounds: [] as number[] }));
  // A single round compares outputs, and times nothing.
  const [first, end] = rounds > 1 ? [-4 * rounds, 2 * rounds] : [0, 1];
  for (let round = first; round < end; round++) {
    const inTurn = round % 2 === 0 ? measured : measured.toReversed();
    for (const { read, rounds: measuredNs } of inTurn) {
      const startNs = process.hrtime.bigint();
      await read();
      if (round >= 0) measuredNs.push(Number(process.hrtime.bigint() - startNs));
    }
  }
  return compareRounds(measured);
}
