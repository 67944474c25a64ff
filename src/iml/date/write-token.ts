import { dayNumber, weekdayOf } from './civil.js';
import type { LocalTime } from './local-time.js';
import { MONTH_NAMES, WEEKDAY_NAMES } from './names.js';
import { abbreviationAt } from './zone.js';

/** Writes one token of a format. */
export type TokenWriter = (time: LocalTime) => string;

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const SHORT_MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));
const SHORT_WEEKDAYS = WEEKDAY_NAMES.map((name) => name.slice(0, 3));
const MIN_WEEKDAYS = WEEKDAY_NAMES.map((name) => name.slice(0, 2));

/** A number from 0 to 99 with two digits. */
function two(value: number): string {
  return TWO_DIGITS[value] ?? '';
}

/** A number with at least `width` digits, the sign in front of them. */
function pad(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
}

function ordinal(value: number): string {
  const last = value % 10;
  if (Math.floor((value % 100) / 10) === 1 || last === 0 || last > 3) return `${value}th`;
  return `${value}${['st', 'nd', 'rd'][last - 1]}`;
}

/** How weeks are counted: the weekday they begin with, and the place in the week of the day whose year they belong to. */
interface WeekRule {
  readonly start: number;
  readonly anchor: number;
}

/** Week 1 holds 1 January; weeks begin on Sunday. */
const US_WEEK: WeekRule = { start: 0, anchor: 6 };
/** Week 1 holds the first Thursday; weeks begin on Monday. */
const ISO_WEEK: WeekRule = { start: 1, anchor: 3 };

/** The day of the week's middle or end that decides to which year the week belongs. */
function anchorDay(time: LocalTime, { start, anchor }: WeekRule): number {
  return time.day - ((weekdayOf(time.day) - start + 7) % 7) + anchor;
}

function weekYear(time: LocalTime, rule: WeekRule): number {
  const distance = anchorDay(time, rule) - time.day;
  // Of the days near new year's only those of January and December can belong to the other year.
  if (time.month === 12 && time.date + distance > 31) return time.year + 1;
  if (time.month === 1 && time.date + distance < 1) return time.year - 1;
  return time.year;
}

function week(time: LocalTime, rule: WeekRule): number {
  return Math.floor((anchorDay(time, rule) - dayNumber(weekYear(time, rule), 1, 1)) / 7) + 1;
}

function dayOfYear({ day, year }: LocalTime): number {
  return day - dayNumber(year, 1, 1) + 1;
}

function quarter({ month }: LocalTime): number {
  return Math.ceil(month / 3);
}

function hour12({ hour }: LocalTime): number {
  return hour % 12 || 12;
}

/** Year 0 is 1 BC. */
function eraYear({ year }: LocalTime): number {
  return year > 0 ? year : 1 - year;
}

function longYear(year: number): string {
  return year > 9999 ? `+${year}` : pad(year, 4);
}

function meridiem({ hour }: LocalTime): string {
  return hour < 12 ? 'AM' : 'PM';
}

/** Whole minutes; the seconds of offsets before standard time are cut off. */
function offset({ offsetMs }: LocalTime, separator: string): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`;
}

function millisecond({ timeOfDay }: LocalTime): number {
  return timeOfDay % 1000;
}

/** Writes the first `digits` digits of the fraction of the second. Instants have three; further ones are 0. */
function fraction(digits: number): TokenWriter {
  return (time) => pad(millisecond(time), 3).slice(0, digits).padEnd(digits, '0');
}

const era: TokenWriter = ({ year }) => (year > 0 ? 'AD' : 'BC');
const abbreviation: TokenWriter = ({ zone, ms }) => abbreviationAt(zone, ms);

/** What each token writes. Source: https://help.make.com/tokens-for-datetime-formatting. [doc] */
export const TOKEN_WRITERS: ReadonlyMap<string, TokenWriter> = new Map<string, TokenWriter>([
  ['Y', (t) => longYear(t.year)],
  ['YY', (t) => pad(t.year % 100, 2)],
  ['YYYY', (t) => (t.year > 999 ? String(t.year) : pad(t.year, 4))],
  ['YYYYY', (t) => pad(t.year, 5)],
  ['YYYYYY', (t) => (t.year < 0 ? pad(t.year, 6) : `+${pad(t.year, 6)}`)],
  ['y', (t) => String(eraYear(t))],
  ['yo', (t) => ordinal(eraYear(t))],
  ['yy', (t) => pad(eraYear(t), 2)],
  ['yyy', (t) => pad(eraYear(t), 3)],
  ['yyyy', (t) => pad(eraYear(t), 4)],
  ['N', era],
  ['NN', era],
  ['NNN', era],
  ['NNNN', (t) => (t.year > 0 ? 'Anno Domini' : 'Before Christ')],
  ['NNNNN', era],
  ['Q', (t) => String(quarter(t))],
  ['Qo', (t) => ordinal(quarter(t))],
  ['M', (t) => String(t.month)],
  ['Mo', (t) => ordinal(t.month)],
  ['MM', (t) => two(t.month)],
  ['MMM', (t) => SHORT_MONTHS[t.month - 1] ?? ''],
  ['MMMM', (t) => MONTH_NAMES[t.month - 1] ?? ''],
  ['D', (t) => String(t.date)],
  ['Do', (t) => ordinal(t.date)],
  ['DD', (t) => two(t.date)],
  ['DDD', (t) => String(dayOfYear(t))],
  ['DDDo', (t) => ordinal(dayOfYear(t))],
  ['DDDD', (t) => pad(dayOfYear(t), 3)],
  ['d', (t) => String(weekdayOf(t.day))],
  ['do', (t) => ordinal(weekdayOf(t.day))],
  ['dd', (t) => MIN_WEEKDAYS[weekdayOf(t.day)] ?? ''],
  ['ddd', (t) => SHORT_WEEKDAYS[weekdayOf(t.day)] ?? ''],
  ['dddd', (t) => WEEKDAY_NAMES[weekdayOf(t.day)] ?? ''],
  ['e', (t) => String(weekdayOf(t.day))],
  ['eHHmm', (t) => `${weekdayOf(t.day)}${two(t.hour)}${two(t.minute)}`],
  ['E', (t) => String(weekdayOf(t.day) || 7)],
  ['w', (t) => String(week(t, US_WEEK))],
  ['wo', (t) => ordinal(week(t, US_WEEK))],
  ['ww', (t) => two(week(t, US_WEEK))],
  ['W', (t) => String(week(t, ISO_WEEK))],
  ['Wo', (t) => ordinal(week(t, ISO_WEEK))],
  ['WW', (t) => two(week(t, ISO_WEEK))],
  ['gg', (t) => pad(weekYear(t, US_WEEK) % 100, 2)],
  ['gggg', (t) => pad(weekYear(t, US_WEEK), 4)],
  ['ggggg', (t) => pad(weekYear(t, US_WEEK), 5)],
  ['GG', (t) => pad(weekYear(t, ISO_WEEK) % 100, 2)],
  ['GGGG', (t) => pad(weekYear(t, ISO_WEEK), 4)],
  ['GGGGG', (t) => pad(weekYear(t, ISO_WEEK), 5)],
  ['H', (t) => String(t.hour)],
  ['HH', (t) => two(t.hour)],
  ['h', (t) => String(hour12(t))],
  ['hh', (t) => two(hour12(t))],
  ['k', (t) => String(t.hour || 24)],
  ['kk', (t) => two(t.hour || 24)],
  ['Hmm', (t) => `${t.hour}${two(t.minute)}`],
  ['Hmmss', (t) => `${t.hour}${two(t.minute)}${two(t.second)}`],
  ['hmm', (t) => `${hour12(t)}${two(t.minute)}`],
  ['hmmss', (t) => `${hour12(t)}${two(t.minute)}${two(t.second)}`],
  ['A', meridiem],
  ['a', (t) => meridiem(t).toLowerCase()],
  ['m', (t) => String(t.minute)],
  ['mm', (t) => two(t.minute)],
  ['s', (t) => String(t.second)],
  ['ss', (t) => two(t.second)],
  ['S', fraction(1)],
  ['SS', fraction(2)],
  ['SSS', (t) => pad(millisecond(t), 3)],
  ['SSSS', fraction(4)],
  ['SSSSS', fraction(5)],
  ['SSSSSS', fraction(6)],
  ['SSSSSSS', fraction(7)],
  ['SSSSSSSS', fraction(8)],
  ['SSSSSSSSS', fraction(9)],
  ['z', abbreviation],
  ['zz', abbreviation],
  ['Z', (t) => offset(t, ':')],
  ['ZZ', (t) => offset(t, '')],
  ['X', (t) => String(Math.floor(t.ms / 1000))],
  ['x', (t) => String(t.ms)],
]);
