import { dayNumber, daysInMonth, MS_PER_DAY } from './civil.js';
import { type LocalTime, localTime, localToInstant, offsetMsAt, type Zone } from './zone.js';

/** Rounds to the nearest whole number, halves away from zero, as moment rounds amounts of days and months. */
function roundAmount(amount: number): number {
  return amount < 0 ? -Math.round(-amount) : Math.round(amount);
}

/**
 * The instant at which the clocks that showed `time` show another date or time of day.
 * Where they show it twice the offset in force is kept if it can be; where never, the time moves forward by the gap.
 */
export function moveClock(time: LocalTime, day: number, timeOfDay: number = time.timeOfDay): number {
  const { zone } = time;
  const local = day * MS_PER_DAY + timeOfDay;
  const offset = offsetMsAt(zone, local - time.offsetMs);
  const instant = local - offset;
  return offsetMsAt(zone, instant) === offset ? instant : localToInstant(zone, local);
}

/** Moves by calendar days, the local time of day kept. Fractions are rounded. */
export function addDays(ms: number, days: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveClock(time, time.day + roundAmount(days));
}

/** Moves by calendar months, the local time of day kept; a date past the end of the month becomes its last. Fractions are rounded. */
export function addMonths(ms: number, months: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveMonth(time, time.year, time.month + roundAmount(months));
}

/** The same date and time of day in another month, which may lie outside 1 to 12; the last of the month if it is shorter. */
export function moveMonth(time: LocalTime, year: number, month: number): number {
  const date = Math.min(time.date, daysInMonth(year, month));
  return moveClock(time, dayNumber(year, month, date));
}

/**
 * Months from `fromMs` to `toMs`, a part of a month as the share of the month it lies in.
 * Counted from the later date of the month, so that the ends of months are a month apart.
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

/** Days from `fromMs` to `toMs` by local clocks: a day with a change of the clocks counts as one. */
export function daysBetween(fromMs: number, toMs: number, zone: Zone): number {
  return (toMs + offsetMsAt(zone, toMs) - fromMs - offsetMsAt(zone, fromMs)) / MS_PER_DAY;
}
