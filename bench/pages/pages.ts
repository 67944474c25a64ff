import type { Job, JobResult } from '../job.js';
import { compareRounds, type Effort, type Timing } from '../measure.js';
import { assertSameOutputs } from '../same-outputs.js';
import { engineReader, fetchReader, gotReader, nativeReader, type PageReader } from './contestants.js';
import type { PageSizes } from './records.js';
import { SIZE, startServer } from './start-server.js';

/** Reads all pages in sequence from a server in another process. */
export const SMALL_PAGES: Job = {
  name: 'J2 50 pages x 64 records, 10 kB pages',
  floor: 2.1,
  target: 1.15,
  ours: 'iml-runtime',
  run: (effort) => racePages({ pages: 50, records: 64, pageBytes: 10_000 }, effort),
};

/** Like `SMALL_PAGES`, but reading the body is most of the work. */
export const LARGE_PAGES: Job = {
  name: 'J2 8 pages of 2 MB, 64 records each',
  floor: 1.2,
  target: 1.05,
  ours: 'iml-runtime',
  run: (effort) => racePages({ pages: 8, records: 64, pageBytes: 2_000_000 }, effort),
};

/** Like `SMALL_PAGES`, but the server causes most of the time. Detects additional waits. */
export const SLOW_PAGES: Job = {
  name: 'J2 10 pages of 10 kB from a server with a delay of 20 ms',
  floor: 1.05,
  target: 1.02,
  ours: 'iml-runtime',
  run: ({ rounds }) =>
    racePages(
      { pages: 10, records: 64, pageBytes: 10_000, delayMs: 20 },
      { rounds: Math.ceil(rounds / 8), batchMs: 0 },
    ),
};

const READERS = [nativeReader, engineReader, gotReader, fetchReader] as const;

async function racePages(sizes: PageSizes, effort: Effort): Promise<JobResult> {
  const { origin, stop } = await startServer(sizes);
  const readers = READERS.map((create) => create(origin, SIZE));
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
 * Runs all readers in each round. The first rounds only warm up; they are many, because code that runs once per page is
 * compiled late. Every other round has the reverse order, because a reader can leave garbage for the next one.
 */
async function raceReaders(readers: readonly PageReader[], { rounds }: Effort): Promise<readonly Timing[]> {
  const measured = readers.map(({ name, read }) => ({ name, read, rounds: [] as number[] }));
  // A single round only compares outputs.
  const [first, end] = rounds > 1 ? [-4 * rounds, 2 * rounds] : [0, 1];
  for (let round = first; round < end; round++) {
    const ordered = round % 2 === 0 ? measured : measured.toReversed();
    for (const { read, rounds: measuredNs } of ordered) {
      const startNs = process.hrtime.bigint();
      await read();
      if (round >= 0) measuredNs.push(Number(process.hrtime.bigint() - startNs));
    }
  }
  return compareRounds(measured);
}
