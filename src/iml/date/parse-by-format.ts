import { limitError } from '../../errors/iml-error.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { isInstant, offsetToMs, readDigits, wallClockMs } from './civil.js';
import { type FormatToken, tokenizeFormat } from './format.js';
import { readDateInstant } from './read-date.js';
import { localToInstant, parseWithMoment, requireZone, type Zone } from './zone.js';

/**
 * Longest format to parse by, in UTF-16 units, and longest text to look for a date in.
 * The lenient parser searches the rest of the text once for each token.
 */
const MAX_PARSE_FORMAT_LENGTH = 1000;
const MAX_TEXT_LENGTH = 1000;

/**
 * Reads a date from a text by a format of moment tokens, leniently: separators may differ and text may be left over. It
 * comes as milliseconds since the epoch.
 * Without a format the text must have one of the shapes of `readDate`. A text without an offset is a local time of `timezone`.
 * Parts smaller than those named are the start of the period; larger ones, where the year is missing, come from `now`
 * (default: the epoch). Undefined if the text holds no such date.
 * Source: https://help.make.com/date-and-time-functions. [doc]
 * @throws IML_FUNCTION for an unknown timezone, IML_LIMIT for a format longer than 1000 characters.
 */
export function parseInstant(
  text: string,
  format: string | undefined,
  timezone: string,
  now: () => number = () => 0,
): number | undefined {
  if (format === undefined || format === '') return readDateInstant(text, timezone);
  if (format.length > MAX_PARSE_FORMAT_LENGTH) {
    throw limitError(`The date format is longer than ${MAX_PARSE_FORMAT_LENGTH} characters.`);
  }
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const zone = requireZone(timezone);
  const ms = parseUnixTime(text, format) ?? parseFixed(text, format, zone);
  if (ms !== undefined) return isInstant(ms) ? ms : undefined;
  return parseWithMoment(text, format, { zone, nowMs: now() });
}

const UNIX_TIME = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

/** `X` is seconds with a fraction, `x` milliseconds; what is finer than a millisecond is cut off. [doc] */
function parseUnixTime(text: string, format: string): number | undefined {
  if ((format !== 'X' && format !== 'x') || !UNIX_TIME.test(text)) return undefined;
  if (format === 'x') return Math.trunc(Number(text));
  // Shifting the point in the text keeps milliseconds exact that a product of doubles would lose.
  const [whole = '', fraction = ''] = text.trim().split('.');
  return Number(`${whole}${fraction.slice(0, 3).padEnd(3, '0')}`);
}

/** Tokens of fixed width, in the order of the parts of a date. */
const FIXED_TOKENS: readonly string[] = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss', 'SSS'];

const BRACKET = /[[\]\\]/;

/**
 * A format of tokens of fixed width: where in a text the digits of each part begin, -1 for one the format does not name. As all
 * widths are known, nothing has to be looked for.
 */
interface FixedShape {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Characters that stand there as they are. */
  readonly literals: readonly { readonly text: string; readonly at: number }[];
  /** Characters of a text, without the offset from UTC that may end it. */
  readonly length: number;
  /** What stands between hours and minutes of that offset, undefined where a text has none. */
  readonly separator: string | undefined;
}

const shapes = createBoundedCache<FixedShape | null>(500);

/**
 * Reads a text by a format whose tokens have fixed widths, as most have, without moment.
 *
 * @returns undefined if the format or the text does not have a fixed shape; then moment decides
 */
export function parseFixed(text: string, format: string, zone: Zone): number | undefined {
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
    if (literal !== undefined && !text.startsWith(literal.text, literal.at)) return false;
  }
  return true;
}

/** The shape of a format made of tokens of fixed width, undefined for any other. */
function fixedShape(tokens: readonly FormatToken[]): FixedShape | undefined {
  const literals: { text: string; at: number }[] = [];
  const places = new Map<string, number>();
  let length = 0;
  let separator: string | undefined;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'token' && (text === 'Z' || text === 'ZZ') && index === tokens.length - 1) {
      separator = text === 'Z' ? ':' : '';
      continue;
    }
    if (kind === 'literal') {
      // moment reads brackets inside literals in another way than it writes them.
      if (BRACKET.test(text)) return undefined;
      literals.push({ text, at: length });
    } else {
      if (!FIXED_TOKENS.includes(text) || places.has(text)) return undefined;
      places.set(text, length);
    }
    length += text.length;
  }
  // Without a year the date depends on today.
  if (!places.has('YYYY')) return undefined;
  const [year = -1, month = -1, date = -1, hour = -1, minute = -1, second = -1, millisecond = -1] =
    FIXED_TOKENS.map((token) => places.get(token));
  return { year, month, date, hour, minute, second, millisecond, literals, length, separator };
}

/** Offsets moment accepts in a text: none of more than 14 hours ahead or 12 behind. */
const MAX_OFFSET_MS = 14 * 3_600_000;
const MIN_OFFSET_MS = -12 * 3_600_000;

/** The offset that ends a text: `Z`, or a sign with hours and minutes. */
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
