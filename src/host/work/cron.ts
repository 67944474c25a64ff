import { EngineError } from '../../shared/errors/engine-error.js';
import type { CronSchedule } from '../store/scenario-plan.js';

/**
 * The next time of a calendar schedule after an instant. If clocks go forward, a time that does not exist moves to
 * the end of the gap. If they go back, a time that occurs twice runs once, at the first; a schedule of every hour
 * runs in both hours.
 *
 * @returns null if there is no further time
 * @throws EngineError (HOST_FILE) for an invalid pattern or time zone
 */
export async function nextCronTime(schedule: CronSchedule, afterMs: number): Promise<number | null> {
  const { pattern, timezone = 'UTC' } = schedule;
  const { Cron } = await import('croner');
  try {
    return new Cron(pattern, { timezone, paused: true }).nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('HOST_FILE', `"${pattern}" in "${timezone}" is not a valid schedule: ${why}`, {
      cause,
    });
  }
}
