/** Largest distance from the epoch a `Date` can hold, in milliseconds. */
const MAX_INSTANT_MS = 8.64e15;
export const MS_PER_DAY = 86_400_000;

/** A day of the proleptic Gregorian calendar. Year 0 stands before year 1; `month` and `date` count from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

const DAYS_PER_ERA = 146_097;
/** Days from 1 March of year 0 to 1 January 1970. */
const EPOCH_SHIFT = 719_468;

/**
 * Days since 1970-01-01. Months and dates outside their range count on into the neighbouring years and months.
 * Years are counted from March, so that the leap day is the last of its year, in eras of 400 years. What is counted within an
 * era is small and never negative: `| 0` cuts it off, and the engine divides integers.
 */
export function dayNumber(year: number, month: number, date: number): number {
  const months = year * 12 + month - 3;
  const marchYear = Math.floor(months / 12);
  const marchMonth = months - marchYear * 12;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = ((153 * marchMonth + 2) / 5) | 0;
  const leapDays = ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0);
  return era * DAYS_PER_ERA + yearOfEra * 365 + leapDays + dayOfYear + date - 1 - EPOCH_SHIFT;
}

/** The inverse of `dayNumber`. */
export function civilDate(day: number): CivilDate {
  const shifted = day + EPOCH_SHIFT;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const marchMonth = ((5 * dayOfYear + 2) / 153) | 0;
  const date = dayOfYear - (((153 * marchMonth + 2) / 5) | 0) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, date };
}

/** Days of a month. `month` may lie outside 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
}

/** Day of the week of a day number, Sunday 0. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  const rest = (day + 4) % 7;
  return rest < 0 ? rest + 7 : rest;
}

/** Whether `Date` can hold an instant. */
export function isInstant(ms: number): boolean {
  return Math.abs(ms) <= MAX_INSTANT_MS;
}
