import { dayNumber, daysInMonth, MS_PER_DAY } from './civil.js';
import { type LocalTime, localTime, localToInstant, offsetMsAt, type Zone } from './zone.js';

/** Rounds half away from zero, as moment rounds amounts of days and months. */
function roundAmount(amount: number): number {
  return amount < 0 ? -Math.round(-amount) : Math.round(amount);
}

/**
 * Returns the instant of another local date and time of day in the same zone. An ambiguous local time keeps the current
 * offset if possible. A local time inside a gap moves forward by the gap.
 */
export function moveClock(time: LocalTime, day: number, timeOfDay: number = time.timeOfDay): number {
  const { zone } = time;
  const local = day * MS_PER_DAY + timeOfDay;
  const offset = offsetMsAt(zone, local - time.offsetMs);
  const instant = local - offset;
  return offsetMsAt(zone, instant) === offset ? instant : localToInstant(zone, local);
}

/** Adds calendar days and keeps the local time of day. Rounds fractions. */
export function addDays(ms: number, days: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveClock(time, time.day + roundAmount(days));
}

/** Adds calendar months and keeps the local time of day. A date after the end of the month becomes its last day. Rounds fractions. */
export function addMonths(ms: number, months: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveMonth(time, time.year, time.month + roundAmount(months));
}

/** Moves to another month, which may be outside 1 to 12. A date after the end of the month becomes its last day. */
export function moveMonth(time: LocalTime, year: number, month: number): number {
  const date = Math.min(time.date, daysInMonth(year, month));
  return moveClock(time, dayNumber(year, month, date));
}

/**
 * Returns the months from `fromMs` to `toMs`. A partial month counts as its fraction of the month.
 * Counts from the later date of the month, so that the last days of adjacent months are one month apart.
 */
export function monthsBetween(fromMs: number, toMs: number, zone: Zone): number {
  const from = localTime(fromMs, zone);
  const to = localTime(toMs, zone);
  if (from.date < to.date) return -monthsBetween(toMs, fromMs, zone);
  const whole = (to.year - from.year) * 12 + (to.month - from.month);
  const anchor = addMonths(fromMs, whole, zone);
  const rest = toMs - anchor;
  const next = addMonths(fromMs, whole + (rest < 0 ? -1 : 1), zone);
  return whole + rest / Math.abs(next - anchor);
}

/** Returns the days from `fromMs` to `toMs` in local time: a day with a clock change counts as one day. */
export function daysBetween(fromMs: number, toMs: number, zone: Zone): number {
  return (toMs + offsetMsAt(zone, toMs) - fromMs - offsetMsAt(zone, fromMs)) / MS_PER_DAY;
}
