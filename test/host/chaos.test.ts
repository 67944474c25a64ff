import { afterAll, expect, it } from 'vitest';
import { type Disturbance, type LoadSettings, runLoad } from './load-run.js';
import { hasPrograms, PROGRAMS_MISSING } from './own-server.js';
import { hasPostgres, POSTGRES_MISSING } from './test-database.js';

// `npm run chaos` runs it longer, and a thousand rounds of lost answers (`lost-answers.test.ts`).
const isFull = process.env['IML_FULL'] === '1';
const MINUTE_MS = 60_000;

const table: Record<string, string | number>[] = [];

afterAll(() => {
  // Vitest wraps what a table prints in its own colours.
  const [first, ...rest] = table;
  if (first === undefined) return;
  const lines = [Object.keys(first), ...[first, ...rest].map((row) => Object.values(row))];
  console.log(lines.map((line) => line.map((cell) => String(cell).padEnd(13)).join('')).join('\n'));
});

const RUNS: readonly (readonly [LoadSettings['engine'], Disturbance])[] = [
  ...(['kill', 'stop'] as const).map((disturbance) => ['sqlite', disturbance] as const),
  ...(['kill', 'stop', 'terminate', 'restart', 'drop'] as const).map(
    (disturbance) => ['postgres', disturbance] as const,
  ),
];

for (const [engine, disturbance] of RUNS) {
  const isOwn = disturbance === 'restart';
  const isMissing = isOwn ? !hasPrograms : engine === 'postgres' && !hasPostgres;
  const why = isOwn ? PROGRAMS_MISSING : POSTGRES_MISSING;
  it.skipIf(isMissing)(
    `loses nothing and keeps order on ${engine}: ${disturbance}${isMissing ? why : ''}`,
    { timeout: 20 * MINUTE_MS },
    async () => {
      const settings: LoadSettings = {
        engine,
        disturbance,
        leaseMs: 2000,
        workers: engine === 'sqlite' ? 1 : 2,
        ...(isFull ? { events: 10_000, hooks: 100 } : { events: 400, hooks: 20 }),
        // A process needs a while to start; lost answers may come close upon each other.
        killEveryMs: disturbance === 'drop' ? 50 : isFull ? 3000 : 500,
        maxKills: (isFull ? 20 : 2) * (disturbance === 'drop' ? 10 : 1),
        maxMs: (isFull ? 15 : 3) * MINUTE_MS,
      };
      const result = await runLoad(settings);
      table.push({
        store: engine,
        what: disturbance,
        times: result.kills,
        sent: result.sent + result.sentTwice,
        acknowledged: result.sent,
        lost: result.lost,
        repeated: result.repeated,
        'out of order': result.orderBreaks,
        'longest wait': `${result.longestWaitMs} ms`,
      });
      expect(result).toMatchObject({ sent: settings.events, lost: 0, open: 0, dead: 0 });
      expect(result.kills).toBeGreaterThan(0);
      // A process that slept for longer than the lease may finish the one event of each hook it had under way.
      if (disturbance === 'stop')
        expect(result.orderBreaks).toBeLessThanOrEqual(result.kills * settings.hooks);
      else expect(result.orderBreaks).toBe(0);
    },
  );
}
