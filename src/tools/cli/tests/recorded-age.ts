import type { RunCase } from '../../testing/suite/run-case.js';
import { usageError } from '../usage-error.js';

const DAY_MS = 86_400_000;

/**
 * The age of `--max-age` in milliseconds: `90d`, `12w`.
 *
 * @throws EngineError (USAGE)
 */
export function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  if (count === '') throw usageError(`--max-age: "${text}" is no age such as 90d or 12w.`);
  return Number(count) * (unit === 'w' ? 7 : 1) * DAY_MS;
}

/** Adds a note to cases that were recorded earlier. They do not fail. */
export function noteAge(runCase: RunCase, maxAgeMs: number, nowMs: number): RunCase {
  return async (read, stage) => {
    const run = await runCase(read, stage);
    const at = read.written.recorded?.at;
    if (at === undefined) return run;
    const ageMs = nowMs - Date.parse(at);
    if (ageMs <= maxAgeMs) return run;
    const age = Number.isNaN(ageMs)
      ? `recorded.at is no date: ${JSON.stringify(at)}.`
      : `It was recorded ${Math.floor(ageMs / DAY_MS)} days ago.`;
    return { ...run, notes: [...(run.notes ?? []), age] };
  };
}
