import { readDate } from '../iml/date/read-date.js';
import { toNumber } from '../iml/values/coerce.js';
import { unixTimeToMs } from '../util/clock.js';

/**
 * Milliseconds since the epoch of a date, a date text, or a Unix time in seconds or milliseconds (as a number or as
 * text), which is how services tell the end of a token; undefined for anything else. [inf]
 *
 * @param timezone of texts without an offset
 */
export function readExpires(value: unknown, timezone: string): number | undefined {
  const number = toNumber(value);
  if (number === undefined) return readDate(value, timezone)?.getTime();
  return unixTimeToMs(number);
}
