import { createBoundedCache } from '../../shared/bounded-cache.js';
import { limitError } from '../../shared/errors/iml-error.js';
import {
  dayNumber,
  isInstant,
  MONTH_NAMES,
  offsetToMs,
  readDigits,
  WEEKDAY_NAMES,
  wallClockMs,
  weekdayOf,
} from './civil.js';
import { readDateInstant } from './read-date.js';
import {
  abbreviationAt,
  type LocalTime,
  localTime,
  localToInstant,
  parseWithMoment,
  requireZone,
  type Zone,
} from './zone.js';

/** Formats an instant in a zone. */
export type DateFormatter = (ms: number, zone: Zone) => string;

const MAX_CACHED_LENGTH = 200;
const formatters = createBoundedCache<DateFormatter>(500);

/**
 * Compiles a format of moment tokens with English names.
 * Source: https://help.make.com/tokens-for-datetime-formatting. [doc]
 * @throws IML_LIMIT for a format longer than 10,000 characters.
 */
export function compileFormat(format: string): DateFormatter {
  const cached = formatters.get(format);
  if (cached !== undefined) return cached;
  const formatter = createFormatter(format);
  if (format.length <= MAX_CACHED_LENGTH) formatters.set(format, formatter);
  return formatter;
}

function createFormatter(format: string): DateFormatter {
  const parts = tokenizeFormat(format).map(({ kind, text }): string | TokenWriter =>
    kind === 'token' ? (TOKEN_WRITERS.get(text) ?? text) : text,
  );
  return (ms, zone) => {
    const time = localTime(ms, zone);
    let output = '';
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? '';
      output += typeof part === 'string' ? part : part(time);
    }
    return output;
  };
}

/** A part of a date format: a token or literal text. */
interface FormatToken {
  readonly kind: 'token' | 'literal';
  readonly text: string;
}

/** Maximum length of a format in UTF-16 units, because a format may come from untrusted data. */
const MAX_FORMAT_LENGTH = 10_000;

/**
 * Tokens by first letter, longest first.
 * Source: https://help.make.com/tokens-for-datetime-formatting [doc]; other tokens (`Hmm`, `N`, `y`, `e`, `z`, ...) are
 * those of moment. [inf]
 */
const TOKENS_BY_LETTER: Readonly<Record<string, readonly string[]>> = {
  A: ['A'],
  a: ['a'],
  D: ['DDDo', 'DDDD', 'DDD', 'DD', 'Do', 'D'],
  d: ['dddd', 'ddd', 'dd', 'do', 'd'],
  E: ['E'],
  e: ['eHHmm', 'e'],
  G: ['GGGGG', 'GGGG', 'GG'],
  g: ['ggggg', 'gggg', 'gg'],
  H: ['Hmmss', 'Hmm', 'HH', 'H'],
  h: ['hmmss', 'hmm', 'hh', 'h'],
  k: ['kk', 'k'],
  M: ['MMMM', 'MMM', 'MM', 'Mo', 'M'],
  m: ['mm', 'm'],
  N: ['NNNNN', 'NNNN', 'NNN', 'NN', 'N'],
  Q: ['Qo', 'Q'],
  S: ['SSSSSSSSS', 'SSSSSSSS', 'SSSSSSS', 'SSSSSS', 'SSSSS', 'SSSS', 'SSS', 'SS', 'S'],
  s: ['ss', 's'],
  W: ['WW', 'Wo', 'W'],
  w: ['ww', 'wo', 'w'],
  X: ['X'],
  x: ['x'],
  Y: ['YYYYYY', 'YYYYY', 'YYYY', 'YY', 'Y'],
  y: ['yyyy', 'yyy', 'yy', 'yo', 'y'],
  Z: ['ZZ', 'Z'],
  z: ['zz', 'z'],
};

/** Abbreviations of longer formats. */
const LONG_FORMATS: ReadonlyMap<string, string> = new Map([
  ['LT', 'h:mm A'],
  ['LTS', 'h:mm:ss A'],
  ['L', 'MM/DD/YYYY'],
  ['LL', 'MMMM D, YYYY'],
  ['LLL', 'MMMM D, YYYY h:mm A'],
  ['LLLL', 'dddd, MMMM D, YYYY h:mm A'],
  ['l', 'M/D/YYYY'],
  ['ll', 'MMM D, YYYY'],
  ['lll', 'MMM D, YYYY h:mm A'],
  ['llll', 'ddd, MMM D, YYYY h:mm A'],
]);

const LONG_FORMAT = /\[[^[]*\]|\\?(?:LTS?|L{1,4}|l{1,4})/g;
const LINE_BREAK = /[\n\r\u2028\u2029]/;

/**
 * Splits a format into tokens and literal text, in time linear in its length.
 * `[...]` and a token after `\` are literal. Line breaks outside brackets are dropped, as in moment.
 * @throws IML_LIMIT for a format longer than `MAX_FORMAT_LENGTH`.
 */
function tokenizeFormat(format: string): readonly FormatToken[] {
  if (format.length > MAX_FORMAT_LENGTH) {
    throw limitError(`Date format is too long: expected at most ${MAX_FORMAT_LENGTH} characters.`);
  }
  const expanded = format.replace(LONG_FORMAT, (found) => LONG_FORMATS.get(found) ?? found);
  const tokens: FormatToken[] = [];
  let literal = '';
  let offset = 0;
  while (offset < expanded.length) {
    const piece = readPiece(expanded, offset);
    offset += piece.length;
    if (piece.kind === 'literal') {
      literal += piece.text;
      continue;
    }
    if (literal !== '') tokens.push({ kind: 'literal', text: literal });
    literal = '';
    tokens.push({ kind: 'token', text: piece.text });
  }
  if (literal !== '') tokens.push({ kind: 'literal', text: literal });
  return tokens;
}

interface Piece extends FormatToken {
  /** Length in the format, in UTF-16 units. */
  readonly length: number;
}

function readPiece(format: string, offset: number): Piece {
  const first = format[offset] ?? '';
  if (first === '[') return readBracket(format, offset);
  if (first === '\\') return readEscape(format, offset);
  if (LINE_BREAK.test(first)) return { kind: 'literal', text: '', length: 1 };
  const token = tokenAt(format, offset);
  if (token === undefined) return { kind: 'literal', text: first, length: 1 };
  // moment has tokens `w|` and `W|` without a meaning, so they are literal.
  if ((token === 'w' || token === 'W') && format[offset + 1] === '|') {
    return { kind: 'literal', text: `${token}|`, length: 2 };
  }
  return { kind: 'token', text: token, length: token.length };
}

/** A bracket closes at the last `]` before the next `[`. An unclosed bracket is literal. */
function readBracket(format: string, offset: number): Piece {
  const next = format.indexOf('[', offset + 1);
  const end = format.slice(offset, next < 0 ? format.length : next).lastIndexOf(']');
  if (end < 0) return { kind: 'literal', text: '[', length: 1 };
  return { kind: 'literal', text: format.slice(offset + 1, offset + end), length: end + 1 };
}

function readEscape(format: string, offset: number): Piece {
  const next = format[offset + 1];
  if (next === undefined || LINE_BREAK.test(next)) return { kind: 'literal', text: '', length: 1 };
  if (next === '\\') return { kind: 'literal', text: '', length: 2 };
  const token = next === 'e' ? next : (tokenAt(format, offset + 1) ?? next);
  return { kind: 'literal', text: token, length: token.length + 1 };
}

function tokenAt(format: string, offset: number): string | undefined {
  const letter = format[offset] ?? '';
  const candidates = Object.hasOwn(TOKENS_BY_LETTER, letter) ? TOKENS_BY_LETTER[letter] : undefined;
  return candidates?.find((token) => format.startsWith(token, offset));
}

/** Formats one token. */
export type TokenWriter = (time: LocalTime) => string;

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
const SHORT_MONTHS = MONTH_NAMES.map((name) => name.slice(0, 3));
const SHORT_WEEKDAYS = WEEKDAY_NAMES.map((name) => name.slice(0, 3));
const MIN_WEEKDAYS = WEEKDAY_NAMES.map((name) => name.slice(0, 2));

/** Formats a number from 0 to 99 with two digits. */
function two(value: number): string {
  return TWO_DIGITS[value] ?? '';
}

/** Formats a number with at least `width` digits after the sign. */
function pad(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(width, '0');
  return value < 0 ? `-${digits}` : digits;
}

function ordinal(value: number): string {
  const last = value % 10;
  if (Math.floor((value % 100) / 10) === 1 || last === 0 || last > 3) return `${value}th`;
  return `${value}${['st', 'nd', 'rd'][last - 1]}`;
}

/** Week numbering: the first weekday, and the index in the week of the day that determines the year of the week. */
interface WeekRule {
  readonly start: number;
  readonly anchor: number;
}

/** Week 1 contains 1 January; weeks begin on Sunday. */
const US_WEEK: WeekRule = { start: 0, anchor: 6 };

/** Week 1 contains the first Thursday; weeks begin on Monday. */
const ISO_WEEK: WeekRule = { start: 1, anchor: 3 };

/** Returns the day that determines the year of the week. */
function anchorDay(time: LocalTime, { start, anchor }: WeekRule): number {
  return time.day - ((weekdayOf(time.day) - start + 7) % 7) + anchor;
}

function weekYear(time: LocalTime, rule: WeekRule): number {
  const distance = anchorDay(time, rule) - time.day;
  // Only days of January and December can belong to a week of an adjacent year.
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

/** Formats an offset in whole minutes; the seconds of historical offsets are dropped. */
function offset({ offsetMs }: LocalTime, separator: string): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`;
}

function millisecond({ timeOfDay }: LocalTime): number {
  return timeOfDay % 1000;
}

/** Formats the first `digits` digits of the fraction of a second. Digits after the third are 0. */
function fraction(digits: number): TokenWriter {
  return (time) => pad(millisecond(time), 3).slice(0, digits).padEnd(digits, '0');
}

const era: TokenWriter = ({ year }) => (year > 0 ? 'AD' : 'BC');
const abbreviation: TokenWriter = ({ zone, ms }) => abbreviationAt(zone, ms);

/** Writers by token. Source: https://help.make.com/tokens-for-datetime-formatting. [doc] */
const TOKEN_WRITERS: ReadonlyMap<string, TokenWriter> = new Map<string, TokenWriter>([
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

/**
 * Maximum lengths of a format and of the text to parse, in UTF-16 units. The lenient parser searches the rest of the text
 * once per token.
 */
const MAX_PARSE_FORMAT_LENGTH = 1000;
const MAX_TEXT_LENGTH = 1000;

/**
 * Parses text by a format of moment tokens and returns milliseconds since the epoch; undefined if the text has no such
 * date. The parser is lenient: separators may differ, and text may remain.
 *
 * Without a format the text must have one of the shapes of `readDate`. Text without an offset is a local time of
 * `timezone`. Units smaller than those of the format are zero. If the year is missing, larger units come from `now`.
 * Source: https://help.make.com/date-and-time-functions. [doc]
 * @throws IML_FUNCTION for an unknown timezone, IML_LIMIT for a format longer than 1000 characters.
 */
export function parseInstant(
  text: string,
  format: string | undefined,
  timezone: string,
  now: () => number,
): number | undefined {
  if (format === undefined || format === '') return readDateInstant(text, timezone);
  if (format.length > MAX_PARSE_FORMAT_LENGTH) {
    throw limitError(`Date format is too long: expected at most ${MAX_PARSE_FORMAT_LENGTH} characters.`);
  }
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const zone = requireZone(timezone);
  const ms = parseUnixTime(text, format) ?? parseFixed(text, format, zone);
  if (ms !== undefined) return isInstant(ms) ? ms : undefined;
  return parseWithMoment(text, format, { zone, nowMs: now() });
}

const UNIX_TIME = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

/** `X` is seconds with an optional fraction, `x` is milliseconds. Truncates to milliseconds. [doc] */
function parseUnixTime(text: string, format: string): number | undefined {
  if ((format !== 'X' && format !== 'x') || !UNIX_TIME.test(text)) return undefined;
  if (format === 'x') return Math.trunc(Number(text));
  // Moves the decimal point in the text, because a floating-point product could lose milliseconds.
  const [whole = '', fraction = ''] = text.trim().split('.');
  return Number(`${whole}${fraction.slice(0, 3).padEnd(3, '0')}`);
}

/** Tokens of fixed width, largest unit first. */
const FIXED_TOKENS: readonly string[] = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss', 'SSS'];

const BRACKET = /[[\]\\]/;

/**
 * A format whose tokens have a fixed width: the offset in the text of each unit, -1 if the format does not have it.
 */
interface FixedShape {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Literal text with its offset. */
  readonly literals: readonly { readonly text: string; readonly offset: number }[];
  /** Length of the text without a trailing UTC offset. */
  readonly length: number;
  /** Separator between hours and minutes of the UTC offset; undefined if the format has no offset. */
  readonly separator: string | undefined;
}

const shapes = createBoundedCache<FixedShape | null>(500);

/**
 * Fast path: parses text by a format whose tokens have a fixed width, as most formats do, without moment.
 *
 * @returns undefined if the format or the text does not have a fixed shape; the caller then uses moment
 */
function parseFixed(text: string, format: string, zone: Zone): number | undefined {
  let shape = shapes.get(format);
  if (shape === undefined) {
    shape = fixedShape(tokenizeFormat(format)) ?? null;
    shapes.set(format, shape);
  }
  if (shape === null || !hasLiterals(text, shape)) return undefined;
  const { separator, length } = shape;
  const offsetMs = separator === undefined ? undefined : readOffset(text, length, separator);
  if (separator === undefined ? text.length !== length : offsetMs === undefined) return undefined;
  const localMs = wallClockMs({
    year: readDigits(text, shape.year, 4),
    month: shape.month < 0 ? 1 : readDigits(text, shape.month, 2),
    date: shape.date < 0 ? 1 : readDigits(text, shape.date, 2),
    hour: shape.hour < 0 ? 0 : readDigits(text, shape.hour, 2),
    minute: shape.minute < 0 ? 0 : readDigits(text, shape.minute, 2),
    second: shape.second < 0 ? 0 : readDigits(text, shape.second, 2),
    millisecond: shape.millisecond < 0 ? 0 : readDigits(text, shape.millisecond, 3),
  });
  if (localMs === undefined || Number.isNaN(localMs)) return undefined;
  return offsetMs === undefined ? localToInstant(zone, localMs) : localMs - offsetMs;
}

function hasLiterals(text: string, { literals }: FixedShape): boolean {
  for (let index = 0; index < literals.length; index++) {
    const literal = literals[index];
    if (literal !== undefined && !text.startsWith(literal.text, literal.offset)) return false;
  }
  return true;
}

/** Returns the shape of a format; undefined if a token does not have a fixed width. */
function fixedShape(tokens: readonly FormatToken[]): FixedShape | undefined {
  const literals: { text: string; offset: number }[] = [];
  const offsets = new Map<string, number>();
  let length = 0;
  let separator: string | undefined;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'token' && (text === 'Z' || text === 'ZZ') && index === tokens.length - 1) {
      separator = text === 'Z' ? ':' : '';
      continue;
    }
    if (kind === 'literal') {
      // moment parses brackets inside literals differently than it formats them.
      if (BRACKET.test(text)) return undefined;
      literals.push({ text, offset: length });
    } else {
      if (!FIXED_TOKENS.includes(text) || offsets.has(text)) return undefined;
      offsets.set(text, length);
    }
    length += text.length;
  }
  // Without a year the date depends on the current time.
  if (!offsets.has('YYYY')) return undefined;
  const [year = -1, month = -1, date = -1, hour = -1, minute = -1, second = -1, millisecond = -1] =
    FIXED_TOKENS.map((token) => offsets.get(token));
  return { year, month, date, hour, minute, second, millisecond, literals, length, separator };
}

/** The range of UTC offsets that moment accepts in text. */
const MAX_OFFSET_MS = 14 * 3_600_000;
const MIN_OFFSET_MS = -12 * 3_600_000;

/** Reads a UTC offset at the end of the text: `Z`, or a sign with hours and minutes. */
function readOffset(text: string, offset: number, separator: string): number | undefined {
  const sign = text[offset];
  if (sign === 'Z' && text.length === offset + 1) return 0;
  if (sign !== '+' && sign !== '-') return undefined;
  if (text.length !== offset + 5 + separator.length || !text.startsWith(separator, offset + 3))
    return undefined;
  const minutes = readDigits(text, offset + 3 + separator.length, 2);
  const ms = offsetToMs(sign, readDigits(text, offset + 1, 2), minutes);
  if (ms === undefined || !(ms >= MIN_OFFSET_MS && ms <= MAX_OFFSET_MS)) return undefined;
  return ms;
}
