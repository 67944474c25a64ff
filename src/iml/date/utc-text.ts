import { readDigits, wallClockMs } from './wall-clock.js';

const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const T = 0x54;
const Z = 0x5a;

/**
 * Reads the shape nearly every API writes, `2016-06-20T17:26:44Z` with or without milliseconds, without a regular expression.
 *
 * @returns milliseconds since the epoch; undefined for any other shape
 */
export function readUtcText(text: string): number | undefined {
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
