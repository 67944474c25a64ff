import { dayNumber, daysInMonth, MS_PER_DAY } from './civil.js';

/** A date and a time of day as somebody wrote them down, not yet known to exist. */
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
 * Milliseconds from the epoch to a date and time of day, read as UTC. Undefined if there is no such date or time.
 * 24:00 is the midnight that ends a day, as in ISO 8601; leap seconds do not exist here.
 */
export function wallClockMs(clock: WallClock): number | undefined {
  const { year, month, date, hour, minute, second, millisecond } = clock;
  if (month < 1 || month > 12 || date < 1 || minute > 59 || second > 59) return undefined;
  if (date > 28 && date > daysInMonth(year, month)) return undefined;
  const timeOfDay = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  if (timeOfDay > MS_PER_DAY) return undefined;
  return dayNumber(year, month, date) * MS_PER_DAY + timeOfDay;
}

/** The number that `width` decimal digits at `offset` write, or NaN if one of them is none. */
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
 * Milliseconds of an offset from UTC given by its sign, hours and minutes.
 * Undefined beyond a day or with 60 minutes and more.
 */
export function offsetToMs(sign: string, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  const ms = (hours * 60 + minutes) * 60_000;
  return sign === '-' ? -ms : ms;
}
