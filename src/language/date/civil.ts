/** Largest distance from the epoch that a `Date` can have, in milliseconds. */
const MAX_INSTANT_MS = 8.64e15;
export const MS_PER_DAY = 86_400_000;

/** A day of the proleptic Gregorian calendar with a year 0. `month` and `date` count from 1. */
export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

const DAYS_PER_ERA = 146_097;
/** Days from 1 March of year 0 to 1 January 1970. */
const EPOCH_SHIFT = 719_468;

/**
 * Returns the days since 1970-01-01. Months and dates outside their range continue in adjacent years and months.
 * The algorithm counts years from March, so that the leap day is the last day of its year, in eras of 400 years.
 * Values within an era are small and never negative, so `| 0` truncates them.
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

/** Returns the number of days of a month. `month` may be outside 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return dayNumber(year, month + 1, 1) - dayNumber(year, month, 1);
}

/** Returns the day of the week of a day number; Sunday is 0. 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  const rest = (day + 4) % 7;
  return rest < 0 ? rest + 7 : rest;
}

/** Whether a `Date` can have this instant. */
export function isInstant(ms: number): boolean {
  return Math.abs(ms) <= MAX_INSTANT_MS;
}

/** A date and time of day from text, not validated. */
export interface WallClock {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly date: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

/**
 * Converts a date and time of day in UTC to milliseconds since the epoch; undefined if it does not exist.
 * 24:00 is the end of a day, as in ISO 8601. Leap seconds do not exist.
 */
export function wallClockMs(clock: WallClock): number | undefined {
  const { year, month, date, hour, minute, second, millisecond } = clock;
  if (month < 1 || month > 12 || date < 1 || minute > 59 || second > 59) return undefined;
  if (date > 28 && date > daysInMonth(year, month)) return undefined;
  const timeOfDay = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  if (timeOfDay > MS_PER_DAY) return undefined;
  return dayNumber(year, month, date) * MS_PER_DAY + timeOfDay;
}

/** Reads `width` decimal digits at `offset` as a number; NaN if one of them is not a digit. */
export function readDigits(text: string, offset: number, width: number): number {
  let value = 0;
  for (let index = offset; index < offset + width; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Converts an offset from UTC to milliseconds; undefined for more than 23 hours or 59 minutes.
 */
export function offsetToMs(sign: string, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  const ms = (hours * 60 + minutes) * 60_000;
  return sign === '-' ? -ms : ms;
}

/** English names for formatting and parsing. Source: https://help.make.com/tokens-for-datetime-formatting. [inf] */
export const MONTH_NAMES: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export const WEEKDAY_NAMES: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];

/** Returns 1 to 12 for a month name in any case, or for a prefix of at least three letters (`feb`, `sept`). */
export function monthByName(text: string): number | undefined {
  return indexByName(MONTH_NAMES, text, 3);
}

/** Returns 1 (Sunday) to 7 for a weekday name in any case, or for a prefix of at least two letters (`tu`, `tues`). */
export function weekdayByName(text: string): number | undefined {
  return indexByName(WEEKDAY_NAMES, text, 2);
}

function indexByName(names: readonly string[], text: string, shortest: number): number | undefined {
  if (text.length < shortest) return undefined;
  const lower = text.toLowerCase();
  const index = names.findIndex((name) => name.toLowerCase().startsWith(lower));
  return index < 0 ? undefined : index + 1;
}
