import * as fc from 'fast-check';
import { functions, ImlError } from '../../../src/language/index.js';
import { ENVIRONMENT } from '../functions/call-function.js';

/** The current time of the tests. */
export const NOW: number = Date.UTC(2022, 4, 17, 22, 30);

/** Calls a date function in a scenario timezone. */
export function call(name: string, args: readonly unknown[], timezone = 'UTC'): unknown {
  return functions[name]?.({ ...ENVIRONMENT, now: () => NOW, timezone }, ...args);
}

/** Returns the code and message of the `ImlError` that a call throws, or its value. */
export function failure(name: string, args: readonly unknown[], timezone = 'UTC'): unknown {
  try {
    return { value: call(name, args, timezone) };
  } catch (error) {
    return error instanceof ImlError ? { code: error.code, message: error.message } : error;
  }
}

export function functionError(message: string): unknown {
  return { code: 'IML_FUNCTION', message };
}

export function formatDate(ms: number, pattern: string, timezone: string): string {
  return String(call('formatDate', [new Date(ms), pattern], timezone));
}

/** Parses text to milliseconds; undefined if the text has no date. */
export function parseDate(text: unknown, pattern: string | undefined, timezone: string): number | undefined {
  return instantOf('parseDate', [text, pattern], timezone);
}

/** Reads a value as a date in one of the documented shapes, as every date function reads its first argument. */
export function readDate(value: unknown, timezone: string): number | undefined {
  return instantOf('addSeconds', [value, 0], timezone);
}

function instantOf(name: string, args: readonly unknown[], timezone: string): number | undefined {
  try {
    return (call(name, args, timezone) as Date).getTime();
  } catch (error) {
    if (error instanceof ImlError && error.message.endsWith(' is not a valid date.')) return undefined;
    throw error;
  }
}

const YEAR_MS = 31_556_952_000;

/** Zones with gaps and folds of an hour, of half an hour, of a whole day, and with none. */
export const ZONES: readonly string[] = [
  'UTC',
  'Europe/Prague',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Monrovia',
  'Antarctica/Troll',
];

export const zoneName: fc.Arbitrary<string> = fc.constantFrom(...ZONES);

/** From 1970 to 2040, the years with changes of clocks by rule. */
export const modernMs: fc.Arbitrary<number> = fc.integer({ min: 0, max: 70 * YEAR_MS });

/** From 3000 BC to the year 12000, or around the changes of clocks. */
export const instantMs: fc.Arbitrary<number> = fc.oneof(
  modernMs,
  fc.integer({ min: -4970 * YEAR_MS, max: 10_030 * YEAR_MS }),
);

export const token: fc.Arbitrary<string> = fc.constantFrom(
  ...'YY YYYY Y YYYYY YYYYYY y yo yy yyy yyyy N NN NNN NNNN NNNNN Q Qo M Mo MM MMM MMMM D Do DD'.split(' '),
  ...'DDD DDDo DDDD d do dd ddd dddd e E w wo ww W Wo WW gg gggg ggggg GG GGGG GGGGG'.split(' '),
  ...'H HH h hh k kk Hmm Hmmss hmm hmmss eHHmm A a m mm s ss z zz Z ZZ'.split(' '),
  ...'S SS SSS SSSS SSSSS SSSSSS SSSSSSS SSSSSSSS SSSSSSSSS L LT LTS LL LLL LLLL l ll lll llll'.split(' '),
);

/** Formats as people write them, and texts that only look like formats. */
export const format: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: token },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '-',
          '/',
          ' ',
          ':',
          '.',
          'T',
          ', ',
          '01',
          '[at]',
          '[',
          ']',
          '\\',
          '|',
          '\n',
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));
