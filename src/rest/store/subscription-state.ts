import type { RestSubscriptionRow } from './tables.js';

/** A period that was paid for. */
export interface PaidPeriod {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** The columns that determine the current period of a subscription and its pause. */
export const PERIOD_COLUMNS = [
  'organizationId',
  'period',
  'anchorAt',
  'periodIndex',
  'periodStartsAt',
  'periodEndsAt',
  'pauseStartsAt',
  'pauseEndsAt',
] as const;

export type SubscriptionPeriod = Pick<RestSubscriptionRow, (typeof PERIOD_COLUMNS)[number]>;

/** A subscription at a time, with the periods that became due since the last write. */
export interface AdvancedSubscription<R extends SubscriptionPeriod> {
  readonly row: R;
  readonly due: readonly PaidPeriod[];
}

export type PausePhase = 'none' | 'scheduled' | 'in effect';

/** Maximum number of periods per call: a hundred years of months. The next call continues. */
const MAX_PERIODS = 1200;

/**
 * Advances a subscription to `nowMs`: new periods follow ended ones, and finished pauses end. Pure, so that it needs
 * no timer and all nodes agree. Source: https://developers.make.com/api-documentation (States and transitions).
 * [seed]
 */
export function advanceSubscription<R extends SubscriptionPeriod>(
  row: R,
  nowMs: number,
): AdvancedSubscription<R> {
  const due: PaidPeriod[] = [];
  let current = row;
  while (due.length < MAX_PERIODS && nowMs >= current.periodEndsAt) {
    const { pauseStartsAt, pauseEndsAt } = current;
    if (pauseStartsAt === null || pauseEndsAt === null) current = nextPeriod(current);
    else if (nowMs < pauseEndsAt) break;
    else current = startPeriodAt(current, pauseEndsAt);
    due.push({ startsAtMs: current.periodStartsAt, endsAtMs: current.periodEndsAt });
  }
  return { row: current, due };
}

/** The phase of the pause of a subscription that was advanced to `nowMs`. */
export function pausePhase(row: Pick<SubscriptionPeriod, 'pauseStartsAt'>, nowMs: number): PausePhase {
  if (row.pauseStartsAt === null) return 'none';
  return nowMs < row.pauseStartsAt ? 'scheduled' : 'in effect';
}

/** Restarts billing at a time and ends a pause. */
export function startPeriodAt<R extends SubscriptionPeriod>(row: R, startsAtMs: number): R {
  return {
    ...row,
    anchorAt: startsAtMs,
    periodIndex: 0,
    periodStartsAt: startsAtMs,
    periodEndsAt: addUtcMonths(startsAtMs, countPeriodMonths(row.period)),
    pauseStartsAt: null,
    pauseEndsAt: null,
  };
}

/**
 * Restarts billing with a new period, later than the current one: clocks of nodes differ and changes can share a
 * millisecond, but each period of a subscription has a unique start.
 */
export function restartPeriod(row: RestSubscriptionRow, nowMs: number): RestSubscriptionRow {
  return startPeriodAt(row, Math.max(nowMs, row.periodStartsAt + 1));
}

/** The pause starts at the end of the current period. `resumeAtProblem` has checked `resumeAt`. */
export function schedulePause(row: RestSubscriptionRow, resumeAtMs: number): RestSubscriptionRow {
  return { ...row, pauseStartsAt: row.periodEndsAt, pauseEndsAt: resumeAtMs };
}

/**
 * The problem of the end of a pause. Source: https://developers.make.com/api-documentation (Limits 2),
 * https://developers.make.com/api-documentation (organizations). [seed][inf]
 */
export function resumeAtProblem(
  row: RestSubscriptionRow,
  resumeAtMs: number,
  nowMs: number,
): string | undefined {
  if (resumeAtMs <= row.periodEndsAt) return 'must be later than the end of the current period';
  if (resumeAtMs > addUtcMonths(nowMs, 12)) return 'must be within 12 months';
  return undefined;
}

/** The same day some months later, or the last day of a shorter month. UTC. */
export function addUtcMonths(instantMs: number, months: number): number {
  const date = new Date(instantMs);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

/** Counted from the anchor, so that a subscription of the 31st does not stay on the 28th after February. */
function nextPeriod<R extends SubscriptionPeriod>(row: R): R {
  const periodIndex = row.periodIndex + 1;
  return {
    ...row,
    periodIndex,
    periodStartsAt: row.periodEndsAt,
    periodEndsAt: addUtcMonths(row.anchorAt, (periodIndex + 1) * countPeriodMonths(row.period)),
  };
}

function countPeriodMonths(period: RestSubscriptionRow['period']): number {
  return period === 'year' ? 12 : 1;
}
