import { expect, it } from 'vitest';
import { type Disturbance, type LoadSettings, runLoad } from './load-run.js';
import { hasPrograms, PROGRAMS_MISSING } from './own-server.js';
import { hasPostgres, POSTGRES_MISSING } from './test-database.js';

// `npm run chaos` runs this for up to ten minutes each, plus a thousand rounds of lost responses
// (`lost-answers.test.ts`).
const isFull = process.env['IML_FULL'] === '1';
const MINUTE_MS = 60_000;

let hasHeader = false;

/** Written after each run, so that an interrupted series keeps its results. */
function writeRow(row: Readonly<Record<string, string | number>>): void {
  const lines = [...(hasHeader ? [] : [Object.keys(row)]), Object.values(row)];
  hasHeader = true;
  process.stdout.write(
    lines.map((line) => `${line.map((cell) => String(cell).padEnd(13)).join('')}\n`).join(''),
  );
}

const RUNS: readonly (readonly [LoadSettings['engine'], Disturbance])[] = [
  ...(['kill', 'stop'] as const).map((disturbance) => ['sqlite', disturbance] as const),
  ...(['kill', 'stop', 'terminate', 'restart', 'drop'] as const).map(
    (disturbance) => ['postgres', disturbance] as const,
  ),
  ...(isFull ? [['postgres', 'all'] as const] : []),
];

for (const [engine, disturbance] of RUNS) {
  const isOwn = disturbance === 'restart' || disturbance === 'all';
  const isMissing = isOwn ? !hasPrograms : engine === 'postgres' && !hasPostgres;
  const why = isOwn ? PROGRAMS_MISSING : POSTGRES_MISSING;
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  it.skipIf(isMissing)(
    `loses no event and keeps the order on ${engine}: ${disturbance}${isMissing ? why : ''}`,
    { timeout: 12 * MINUTE_MS },
    async () => {
      const settings: LoadSettings = {
        engine,
        disturbance,
        workers: engine === 'sqlite' ? 1 : ['kill', 'all'].includes(disturbance) ? 3 : 2,
        ...(isFull
          ? {
              events: disturbance === 'all' ? 40_000 : 10_000,
              hooks: disturbance === 'kill' ? 1000 : 100,
              sendForMs: disturbance === 'all' ? undefined : 3 * MINUTE_MS,
            }
          : { events: 400, hooks: 20, sendForMs: undefined }),
        // A process needs time to start. Lost responses may follow each other closely.
        killEveryMs: disturbance === 'drop' ? 50 : isFull ? 3000 : 500,
        maxKills: (isFull ? 20 : disturbance === 'kill' ? 2 : 1) * (disturbance === 'drop' ? 10 : 1),
        maxMs: (isFull ? 10 : 3) * MINUTE_MS,
      };
      const result = await runLoad(settings);
      writeRow({
        store: engine,
        what: disturbance,
        times: result.kills,
        sent: result.sent + result.sentTwice,
        acknowledged: result.sent,
        lost: result.lost,
        'still open': result.open,
        repeated: result.repeated,
        'out of order': result.orderBreaks,
        'longest wait': `${result.longestWaitMs} ms`,
        'longest stall': `${result.longestStallMs} ms`,
        'stalled hooks': result.stalledHooks,
      });
      expect(result).toMatchObject({ lost: 0, open: 0, dead: 0, exited: 0 });
      if (disturbance === 'all') expect(result.stalledHooks).toBe(0);
      if (isFull) expect(result.sent).toBeGreaterThan(0);
      else expect(result.sent).toBe(settings.events);
      expect(result.kills).toBeGreaterThan(0);
      // A process that was suspended for longer than the heartbeat may finish the one in-flight event of each hook.
      if (disturbance === 'stop')
        expect(result.orderBreaks).toBeLessThanOrEqual(result.kills * settings.hooks);
      else expect(result.orderBreaks).toBe(0);
      // Only the last effects of a killed process may repeat: those of the group that it had not stored.
      if (disturbance === 'kill') expect(result.unexplained).toBe(0);
    },
  );
}
