import { functionError } from '../../errors/iml-error.js';
import { createBoundedCache } from '../../util/bounded-cache.js';
import { isInstant } from './civil.js';
import { tokenizeFormat } from './format-tokens.js';
import { localTime } from './local-time.js';
import { TOKEN_WRITERS, type TokenWriter } from './write-token.js';
import { requireZone, type Zone } from './zone.js';

/** Writes an instant as a zone shows it. */
export type DateFormatter = (ms: number, zone: Zone) => string;

const MAX_CACHED_LENGTH = 200;
const formatters = createBoundedCache<DateFormatter>(500);

/**
 * Compiles a format of moment tokens with English names.
 * Source: https://help.make.com/tokens-for-datetime-formatting. [doc]
 * @throws IML_LIMIT for a format longer than 10,000 characters.
 */
export function compileFormat(format: string): DateFormatter {
  const known = formatters.get(format);
  if (known !== undefined) return known;
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

/**
 * Writes an instant by a format of moment tokens, in a timezone of the tz database.
 * @throws IML_FUNCTION for an instant no date can hold and for an unknown timezone; IML_LIMIT for a format that is too long.
 */
export function formatDate(ms: number, format: string, timezone: string): string {
  if (!isInstant(ms)) throw functionError(`'${ms}' is not a valid date.`);
  return compileFormat(format)(ms, requireZone(timezone));
}
