import { functionError, type ImlError } from '../../shared/errors/iml-error.js';
import {
  dayNumber,
  daysInMonth,
  isInstant,
  MS_PER_DAY,
  monthByName,
  weekdayByName,
  weekdayOf,
} from '../date/civil.js';
import { compileFormat, parseInstant } from '../date/format.js';
import { readDateInstant } from '../date/read-date.js';
import {
  findZone,
  type LocalTime,
  localTime,
  localToInstant,
  offsetMsAt,
  requireZone,
  type Zone,
} from '../date/zone.js';
import { declareRewrite, type Environment, type ImlFunction } from '../environment.js';
import { isEmpty, toNumber, toText } from '../values/value.js';
import type { FunctionsIn } from './signatures.js';

/** [choice] */
const DEFAULT_FORMAT = 'YYYY-MM-DDTHH:mm:ss.SSSZ';
const MAX_SHOWN_LENGTH = 60;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Formats a value for a message, with limited length. */
function show(value: unknown): string {
  if (Array.isArray(value)) return '[array]';
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value === 'number' || value === null || value === undefined) return String(value);
  if (value instanceof Date) return 'Invalid Date';
  if (typeof value === 'object') return '{object}';
  const text = toText(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
}

function requireInstant(value: unknown, environment: Environment): number {
  const ms = readDateInstant(value, environment.timezone);
  if (ms === undefined) throw invalidDate(value);
  return ms;
}

/** @param format of `parseDate` */
function invalidDate(value: unknown, format?: string): ImlError {
  const error = functionError(`'${show(value)}' is not a valid date.`);
  if (format === undefined && /^\d{9,}(?:\.\d+)?$/.test(show(value)))
    error.hint = 'For a timestamp, use parseDate with the format X (seconds) or x (milliseconds).';
  return error;
}

function readNumber(value: unknown): number {
  const number = toNumber(value);
  if (number === undefined) throw functionError(`'${show(value)}' is not a valid number.`);
  return number;
}

function toDate(ms: number): Date {
  if (!isInstant(ms))
    throw functionError('The result is not a valid date: it is outside the range of dates.');
  return new Date(ms);
}

/** An unknown name selects the scenario timezone. Source: https://help.make.com/date-and-time-functions. [doc] */
function chooseZone(timezone: unknown, environment: Environment): Zone {
  const chosen = typeof timezone === 'string' ? findZone(timezone) : undefined;
  return chosen ?? requireZone(environment.timezone);
}

function formatDate(environment: Environment, date: unknown, format: unknown, timezone: unknown): string {
  return formatInstant(environment, requireInstant(date, environment), format, timezone);
}

function formatInstant(environment: Environment, ms: number, format: unknown, timezone: unknown): string {
  const pattern = isEmpty(format) ? DEFAULT_FORMAT : toText(format);
  return compileFormat(pattern)(ms, chooseZone(timezone, environment));
}

function parseDate(environment: Environment, text: unknown, format: unknown, timezone: unknown): Date {
  return new Date(parseToInstant(environment, text, format, timezone));
}

function parseToInstant(environment: Environment, text: unknown, format: unknown, timezone: unknown): number {
  if (typeof text !== 'string' && typeof text !== 'number') return requireInstant(text, environment);
  const zone = chooseZone(timezone, environment);
  const pattern = isEmpty(format) ? undefined : toText(format);
  const source = typeof text === 'string' ? text : numberText(text, pattern);
  const ms = source === undefined ? undefined : parseInstant(source, pattern, zone.name, environment.now);
  if (ms === undefined) throw invalidDate(text, pattern);
  return ms;
}

/** A number needs a format, which reads its decimal digits. Source: https://help.make.com/date-and-time-functions. [doc] */
function numberText(value: number, pattern: string | undefined): string | undefined {
  const text = String(value);
  return pattern === undefined || /[^\d.+-]/.test(text) ? undefined : text;
}

/** Adds a duration, rounded to milliseconds: 1.001 * 1000 is less than 1001 in floating point. [choice] */
function addTime(unitMs: number): ImlFunction {
  return (environment, date, amount) =>
    toDate(requireInstant(date, environment) + Math.round(readNumber(amount) * unitMs));
}

/** Adds calendar units. A fraction is rounded to whole days or months, as in moment. [inf] */
function addCalendar(add: (ms: number, amount: number, zone: Zone) => number): ImlFunction {
  return (environment, date, amount) => {
    const ms = requireInstant(date, environment);
    return toDate(add(ms, readNumber(amount), requireZone(environment.timezone)));
  };
}

type Setter = (time: LocalTime, value: number) => number;
type NameReader = (text: string) => number | undefined;

/** Sets one part of the local date or time. A fraction of the value is dropped, as in `Date`. */
function setPart(set: Setter, readName?: NameReader): ImlFunction {
  return (environment, date, value) => {
    const ms = requireInstant(date, environment);
    const named = typeof value === 'string' ? readName?.(value.trim()) : undefined;
    const number = named ?? Math.trunc(readNumber(value));
    return toDate(set(localTime(ms, requireZone(environment.timezone)), number));
  };
}

// Seconds and minutes change by elapsed time, larger units by local clock time, as in moment. [inf]
const setSecond: Setter = (time, value) => time.ms + (value - time.second) * SECOND;
const setMinute: Setter = (time, value) => time.ms + (value - time.minute) * MINUTE;
const setHour: Setter = (time, value) =>
  moveClock(time, time.day, time.timeOfDay + (value - time.hour) * HOUR);
const setDate: Setter = (time, value) => moveClock(time, time.day + value - time.date);
const setDay: Setter = (time, value) => moveClock(time, time.day + value - 1 - weekdayOf(time.day));
const setMonth: Setter = (time, value) => moveMonth(time, time.year, value);
const setYear: Setter = (time, value) => moveMonth(time, value, time.month);

type Difference = (laterMs: number, earlierMs: number, zone: Zone) => number;

const DIFFERENCES: ReadonlyMap<string, Difference> = new Map<string, Difference>([
  ['milliseconds', (a, b) => a - b],
  ['seconds', (a, b) => (a - b) / SECOND],
  ['minutes', (a, b) => (a - b) / MINUTE],
  ['hours', (a, b) => (a - b) / HOUR],
  ['days', (a, b, zone) => daysBetween(b, a, zone)],
  ['weeks', (a, b, zone) => daysBetween(b, a, zone) / 7],
  ['months', (a, b, zone) => -monthsBetween(a, b, zone)],
  ['years', (a, b, zone) => -monthsBetween(a, b, zone) / 12],
]);

/** Returns whole units; the remainder is dropped, as in moment. Units may be singular and in any case. [inf] */
function dateDifference(environment: Environment, date1: unknown, date2: unknown, unit: unknown): number {
  const laterMs = requireInstant(date1, environment);
  const earlierMs = requireInstant(date2, environment);
  const difference = isEmpty(unit) ? DIFFERENCES.get('milliseconds') : findDifference(unit);
  if (difference === undefined) {
    const units = [...DIFFERENCES.keys()].join(', ');
    throw functionError(`'${show(unit)}' is not a unit of time. Expected one of ${units}.`);
  }
  return Math.trunc(difference(laterMs, earlierMs, requireZone(environment.timezone))) || 0;
}

function findDifference(unit: unknown): Difference | undefined {
  if (typeof unit !== 'string' || unit.length > MAX_SHOWN_LENGTH) return undefined;
  const name = unit.trim().toLowerCase();
  return DIFFERENCES.get(name) ?? DIFFERENCES.get(`${name}s`);
}

/** Whole days, hours, minutes and seconds, and the remainders: hours of a day, minutes, seconds. [rt] */
const WHOLE_DIFFERENCES: ReadonlyMap<unknown, (ms: number) => number> = new Map([
  ['D', (ms: number) => ms / (24 * HOUR)],
  ['H', (ms: number) => ms / HOUR],
  ['m', (ms: number) => ms / MINUTE],
  ['s', (ms: number) => ms / SECOND],
  ['RH', (ms: number) => (ms / HOUR) % 24],
  ['Rm', (ms: number) => (ms / MINUTE) % 60],
  ['Rs', (ms: number) => (ms / SECOND) % 60],
]);

function dateDiff(environment: Environment, end: unknown, start: unknown, unit: unknown): number {
  const ms = requireInstant(end, environment) - requireInstant(start, environment);
  const difference = WHOLE_DIFFERENCES.get(unit);
  if (difference === undefined) {
    const units = [...WHOLE_DIFFERENCES.keys()].join(', ');
    throw functionError(`'${show(unit)}' is not a unit of dateDiff. Expected one of ${units}.`);
  }
  if (ms < 0) throw functionError('The start date is after the end date.');
  return Math.floor(difference(ms));
}

/** Functions of dates. Source: https://help.make.com/date-and-time-functions. */
export const DATE_FUNCTIONS: FunctionsIn<'date'> = {
  formatDate,
  parseDate,
  addSeconds: addTime(SECOND),
  addMinutes: addTime(MINUTE),
  addHours: addTime(HOUR),
  addDays: addCalendar(addDays),
  addMonths: addCalendar(addMonths),
  addYears: addCalendar((ms, years, zone) => addMonths(ms, years * 12, zone)),
  setSecond: setPart(setSecond),
  setMinute: setPart(setMinute),
  setHour: setPart(setHour),
  setDate: setPart(setDate),
  setDay: setPart(setDay, weekdayByName),
  setMonth: setPart(setMonth, monthByName),
  setYear: setPart(setYear),
  dateDifference,
  dateDiff,
};

// Passes milliseconds instead of a `Date`, which costs as much as parsing.
declareRewrite(formatDate, parseDate, {
  outer: (environment, ms, format, timezone) => formatInstant(environment, ms as number, format, timezone),
  inner: parseToInstant,
});

/** Rounds half away from zero, as moment rounds amounts of days and months. */
function roundAmount(amount: number): number {
  return amount < 0 ? -Math.round(-amount) : Math.round(amount);
}

/**
 * Returns the instant of another local date and time of day in the same zone. An ambiguous local time keeps the current
 * offset if possible. A local time inside a gap moves forward by the gap.
 */
function moveClock(time: LocalTime, day: number, timeOfDay: number = time.timeOfDay): number {
  const { zone } = time;
  const local = day * MS_PER_DAY + timeOfDay;
  const offset = offsetMsAt(zone, local - time.offsetMs);
  const instant = local - offset;
  return offsetMsAt(zone, instant) === offset ? instant : localToInstant(zone, local);
}

/** Adds calendar days and keeps the local time of day. Rounds fractions. */
function addDays(ms: number, days: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveClock(time, time.day + roundAmount(days));
}

/** Adds calendar months and keeps the local time of day. A date after the end of the month becomes its last day. Rounds fractions. */
function addMonths(ms: number, months: number, zone: Zone): number {
  const time = localTime(ms, zone);
  return moveMonth(time, time.year, time.month + roundAmount(months));
}

/** Moves to another month, which may be outside 1 to 12. A date after the end of the month becomes its last day. */
function moveMonth(time: LocalTime, year: number, month: number): number {
  const date = Math.min(time.date, daysInMonth(year, month));
  return moveClock(time, dayNumber(year, month, date));
}

/**
 * Returns the months from `fromMs` to `toMs`. A partial month counts as its fraction of the month.
 * Counts from the later date of the month, so that the last days of adjacent months are one month apart.
 */
function monthsBetween(fromMs: number, toMs: number, zone: Zone): number {
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
function daysBetween(fromMs: number, toMs: number, zone: Zone): number {
  return (toMs + offsetMsAt(zone, toMs) - fromMs - offsetMsAt(zone, fromMs)) / MS_PER_DAY;
}
