import { expect, it } from 'vitest';
import { type LoadResult, type LoadSettings, runLoad } from './load-run.js';
import { hasPostgres, POSTGRES_MISSING } from './test-database.js';

// `IML_FULL=1 npx vitest run --config .config/vitest.config.ts test/host/load.test.ts` runs the documented sizes:
// 100000 events over 1000 hooks on PostgreSQL with a kill every 2 s, and 10000 on SQLite.
const isFull = process.env['IML_FULL'] === '1';

const MINUTE_MS = 60_000;

function expectNothingLost(result: LoadResult, settings: LoadSettings): void {
  console.log(`${settings.engine}: ${JSON.stringify(result)}`);
  expect(result).toMatchObject({
    sent: settings.events,
    lost: 0,
    orderBreaks: 0,
    unexplained: 0,
    open: 0,
    dead: 0,
  });
}

it('loses nothing on SQLite with one process that is killed from time to time', {
  timeout: 15 * MINUTE_MS,
}, async () => {
  const settings: LoadSettings = {
    engine: 'sqlite',
    workers: 1,
    ...(isFull ? { events: 10_000, hooks: 1000 } : { events: 1000, hooks: 100 }),
    ...(isFull ? { killEveryMs: 3000 } : { killEveryMs: 1500, maxKills: 5 }),
    maxMs: 5 * MINUTE_MS,
  };
  expectNothingLost(await runLoad(settings), settings);
});

// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
it.skipIf(!hasPostgres)(
  `loses nothing on PostgreSQL with three processes, one of which is killed every two seconds${POSTGRES_MISSING}`,
  { timeout: 30 * MINUTE_MS },
  async () => {
    const settings: LoadSettings = {
      engine: 'postgres',
      workers: 3,
      ...(isFull
        ? { events: Number(process.env['IML_EVENTS'] ?? 100_000), hooks: 1000 }
        : { events: 2000, hooks: 100 }),
      ...(isFull ? { killEveryMs: 2000 } : { killEveryMs: 2000, maxKills: 5 }),
      maxMs: (isFull ? 20 : 5) * MINUTE_MS,
    };
    const result = await runLoad(settings);
    expectNothingLost(result, settings);
    expect(result.kills).toBeGreaterThan(0);
  },
);
