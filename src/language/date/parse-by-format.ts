import { createBoundedCache } from '../../shared/bounded-cache.js';
import { limitError } from '../../shared/errors/iml-error.js';
import { isInstant, offsetToMs, readDigits, wallClockMs } from './civil.js';
import { type FormatToken, tokenizeFormat } from './format.js';
import { readDateInstant } from './read-date.js';
import { localToInstant, parseWithMoment, requireZone, type Zone } from './zone.js';

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
