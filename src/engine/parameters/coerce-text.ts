import { toNumber } from '../../language/values/value.js';
import { unixTimeToMs } from '../../shared/clock.js';
import type { ParameterSpec } from './parameter-spec.js';

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Unix seconds since 1973 or milliseconds. Shorter numbers are years or typing errors. */
const UNIX_TIME = /^-?(?:\d{9,10}|\d{12,13})$/;

/**
 * Converts text from a command line (`-p limit=5`) by the type of its field. Text that does not fit stays text, so
 * that `validateParameters` can report it. Reads numbers, booleans (true/false, yes/no, 1/0, case-insensitive), JSON
 * for arrays, collections, filters and multiple selects, and Unix times as dates. Without a field, and for `any`: JSON
 * if it parses, else text.
 */
export function coerceText(spec: ParameterSpec | undefined, text: string): unknown {
  switch (spec?.type) {
    case undefined:
    case 'any':
    case 'udt':
      return readJson(text, () => true);
    case 'number':
    case 'integer':
    case 'uinteger':
    case 'port':
      return toNumber(text) ?? text;
    case 'boolean':
      return WORDS.get(text.trim().toLowerCase()) ?? text;
    case 'array':
    case 'filter':
      return readJson(text, Array.isArray);
    case 'collection':
      return readJson(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
    case 'select':
      return spec?.multiple === true ? readJson(text, Array.isArray) : text;
    case 'date':
      return readUnixTime(text) ?? text;
    default:
      return text;
  }
}

function readJson(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A long id would lose digits as a number.
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
    return isExact && fits(value) ? value : text;
  } catch {
    return text;
  }
}

function readUnixTime(text: string): Date | undefined {
  if (!UNIX_TIME.test(text)) return undefined;
  return new Date(unixTimeToMs(Number(text)));
}
