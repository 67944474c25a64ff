import { toInstant } from '../values/value.js';
import { type CivilDate, isInstant, offsetToMs, readDigits, wallClockMs } from './civil.js';
import { localToInstant, requireZone } from './zone.js';

/** No accepted shape is longer, even with spaces and a long fraction. */
const MAX_TEXT_LENGTH = 64;

interface DateShape {
  readonly pattern: RegExp;
  /** Group numbers of the pattern. */
  readonly year: number;
  readonly month: number;
  readonly date: number;
}

/**
 * Accepted shapes of a date. Source: https://help.make.com/type-coercion. [doc]
 * Years of six digits are the ISO form of years outside 0 to 9999. [inf]
 */
const DATE_SHAPES: readonly DateShape[] = [
  { pattern: /^([+-]\d{6}|\d{4})-(\d{2})-(\d{2})/, year: 1, month: 2, date: 3 },
  { pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})/, year: 1, month: 2, date: 3 },
  { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})/, year: 3, month: 1, date: 2 },
  { pattern: /^(\d{1,2})\.(\d{1,2})\.(\d{4})/, year: 3, month: 2, date: 1 },
];

/** Optional time after a date: hour, minute, second, fraction, AM or PM; then UTC, or sign, hours and minutes of an offset. */
const TIME =
  /^(?:t| +)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?: ?([ap]m))?(?: ?(?:(z|gmt|utc)|(?:gmt|utc)?([+-])(\d{2})(?::?(\d{2}))?))?$/i;

/**
 * Converts a value to a date: a valid date, or text in one of the documented shapes. Text without an offset is a local
 * time of `timezone`. The time is optional. Any other value, including a number, returns undefined.
 * Source: https://help.make.com/type-coercion. [doc]
 * @throws IML_FUNCTION if the text has no offset and the timezone is unknown.
 */
export function readDate(value: unknown, timezone: string): Date | undefined {
  const ms = readDateInstant(value, timezone);
  if (ms === undefined) return undefined;
  return typeof value === 'string' ? new Date(ms) : (value as Date);
}

/** Like `readDate`, but returns milliseconds since the epoch: creating a `Date` costs as much as parsing. */
export function readDateInstant(value: unknown, timezone: string): number | undefined {
  const ms =
    typeof value === 'string' ? (readUtcText(value) ?? readDateText(value, timezone)) : toInstant(value);
  // A date may be invalid, and text may be outside the range of `Date`.
  return ms !== undefined && isInstant(ms) ? ms : undefined;
}

function readDateText(text: string, timezone: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const trimmed = text.trim();
  for (const shape of DATE_SHAPES) {
    const found = shape.pattern.exec(trimmed);
    if (found === null) continue;
    const year = found[shape.year];
    if (year === '-000000') return undefined;
    const day = { year: Number(year), month: Number(found[shape.month]), date: Number(found[shape.date]) };
    return readTime(day, trimmed.slice(found[0].length), timezone);
  }
  return undefined;
}

/** Reads the time after a date. Without a time, the result is the start of the day. */
function readTime(day: CivilDate, rest: string, timezone: string): number | undefined {
  const found = TIME.exec(rest);
  if (found === null && rest !== '') return undefined;
  const hour = readHour(Number(found?.[1] ?? 0), found?.[5]);
  if (hour === undefined) return undefined;
  const localMs = wallClockMs({
    year: day.year,
    month: day.month,
    date: day.date,
    hour,
    minute: Number(found?.[2] ?? 0),
    second: Number(found?.[3] ?? 0),
    // Digits after the milliseconds are dropped.
    millisecond: Number((found?.[4] ?? '').slice(0, 3).padEnd(3, '0')),
  });
  if (localMs === undefined || found?.[6] !== undefined) return localMs;
  const sign = found?.[7];
  if (sign === undefined) return localToInstant(requireZone(timezone), localMs);
  const offsetMs = offsetToMs(sign, Number(found?.[8]), Number(found?.[9] ?? 0));
  return offsetMs === undefined ? undefined : localMs - offsetMs;
}

/** Converts an hour to 0 to 23. With AM or PM the input is 0 to 12. */
function readHour(hour: number, meridiem: string | undefined): number | undefined {
  if (meridiem === undefined) return hour;
  if (hour > 12) return undefined;
  return (hour % 12) + (meridiem.toLowerCase() === 'pm' ? 12 : 0);
}

const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const T = 0x54;
const Z = 0x5a;

/**
 * Fast path for the most common shape, `2016-06-20T17:26:44Z` with or without milliseconds.
 *
 * @returns milliseconds since the epoch; undefined for any other shape
 */
function readUtcText(text: string): number | undefined {
  const { length } = text;
  if ((length !== 24 && length !== 20) || text.charCodeAt(length - 1) !== Z) return undefined;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(10) !== T)
    return undefined;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  if (length === 24 && text.charCodeAt(19) !== DOT) return undefined;
  const ms = wallClockMs({
    year: readDigits(text, 0, 4),
    month: readDigits(text, 5, 2),
    date: readDigits(text, 8, 2),
    hour: readDigits(text, 11, 2),
    minute: readDigits(text, 14, 2),
    second: readDigits(text, 17, 2),
    millisecond: length === 24 ? readDigits(text, 20, 3) : 0,
  });
  return ms === undefined || Number.isNaN(ms) ? undefined : ms;
}
