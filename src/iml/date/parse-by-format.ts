import { limitError } from '../../errors/iml-error.js';
import { isInstant } from './civil.js';
import { parseFixed } from './parse-fixed.js';
import { readDateInstant } from './read-date.js';
import { parseWithMoment, requireZone } from './zone.js';

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
