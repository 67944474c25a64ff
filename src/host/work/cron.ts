import { EngineError } from '../../errors/engine-error.js';
import type { CronSchedule } from '../store/scenario-plan.js';

/**
 * The next time of a calendar after a moment. Where clocks are set forward a time that does not exist is the one right
 * after the gap; where they are set back a time that comes twice is taken once.
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
    const next = new Cron(pattern, { timezone, paused: true }).nextRun(new Date(afterMs));
    return next === null ? null : next.getTime();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('HOST_FILE', `"${pattern}" in "${timezone}" is no schedule: ${why}`, { cause });
  }
}
