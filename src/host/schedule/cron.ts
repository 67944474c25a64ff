import { EngineError } from '../../errors/engine-error.js';
import type { CronSchedule } from '../store/scenario-plan.js';

/**
 * The next time of a calendar after a moment. Where clocks are set forward a time that does not exist is the one right
 * after the gap; where they are set back a time that comes twice is taken once. What runs in every hour does so in each
 * hour that passes: a poll every 20 minutes does not stand still for an hour in autumn. [choice]
 *
 * @returns null where there is none any more
 * @throws EngineError (HOST_FILE) for a pattern or zone that is none
 */
export async function nextCronTime(schedule: CronSchedule, afterMs: number): Promise<number | null> {
  const { pattern, timezone = 'UTC' } = schedule;
  const { Cron } = await import('croner').catch((cause: unknown) => {
    throw new EngineError('HOST_FILE', 'Schedules by calendar need the package "croner".', { cause });
  });
  try {
    const nextIn = (zone: { timezone: string } | { utcOffset: number }, afterMs: number): number | null =>
      new Cron(pattern, { ...zone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;
    const next = nextIn({ timezone }, afterMs);
    if (next === null || !isEveryHour(pattern)) return next;
    const offset = readOffset(timezone, afterMs);
    const byOffset = nextIn({ utcOffset: offset }, afterMs);
    if (byOffset === null || readOffset(timezone, byOffset) === offset) return byOffset;
    const changeMs = findChange(timezone, afterMs, byOffset);
    return nextIn({ utcOffset: readOffset(timezone, changeMs) }, changeMs - 1);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('HOST_FILE', `"${pattern}" in "${timezone}" is no schedule: ${why}`, { cause });
  }
}

/** `minute hour day month weekday`, with seconds in front if there are six. */
function isEveryHour(pattern: string): boolean {
  const hour = pattern.trim().split(/\s+/).at(-4);
  return pattern.trim() === '@hourly' || hour === '*' || hour === '*/1' || hour === '0-23';
}

/** Minutes that a zone is ahead of UTC. */
function readOffset(timeZone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** The moment from which on the offset of a zone is what it is at `toMs`, where it changes once in between. */
function findChange(timeZone: string, fromMs: number, toMs: number): number {
  const after = readOffset(timeZone, toMs);
  let [low, high] = [fromMs, toMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (readOffset(timeZone, middle) === after) high = middle;
    else low = middle;
  }
  return high;
}
