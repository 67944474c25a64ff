import fc from 'fast-check';
import { fromPortable } from '../../src/index.js';
import { compileTemplate } from '../../src/language/compile/compile-template.js';
import { functions as FUNCTIONS, ImlError } from '../../src/language/index.js';
import { ENVIRONMENT } from '../language/functions/call-function.js';
import { Failure } from '../language/reference-evaluator.js';
import { DESCRIBED, Undocumented } from '../language/reference-functions.js';
import { jsonValues } from './arbitrary-json.js';
import type { Target } from './target.js';

interface Input {
  readonly name: string;
  /** With dates and bytes as `{ "$date" }` and `{ "$bytes" }`; `ABSENT` for an argument without a value. */
  readonly args: readonly unknown[];
  /** Functions of one argument, called with the result. */
  readonly then: string | null;
}

const ABSENT = '$absent';

const texts = fc.constantFrom(
  ...[
    '',
    'a',
    'abc',
    'Hello World',
    'hello WORLD',
    'a,b,,c',
    ' x ',
    '\ta\n',
    'žluťoučký kůň',
    'ÀÉÎ',
    '🦊fox',
    '\ud800a',
  ],
  ...[
    '10',
    '-1.5',
    ' 2 ',
    '1e3',
    '1,234.5',
    '1 756,456',
    '.5',
    '0x10',
    'NaN',
    '007',
    '100%',
    '%41%C5%99',
    '%E2%82',
  ],
  ...[
    'true',
    'false',
    'null',
    '<b>a & b</b>',
    '&amp;',
    'a=1&b=2',
    '{"a":[1,2]}',
    '[1,"x",null]',
    '{',
    '"x"',
    'ab ab ab',
  ],
);
const numbers = fc.constantFrom(
  ...[
    0, 1, 2, 3, -1, -2, 7, 10, 100, 1.5, 2.5, -0.5, 0.1, 0.2, 3.789, 123.456, -3.789, 1234567.891, 1.005,
    9.995,
  ],
  ...[1e21, 1e-7, 5e-324, 123456789, 2 ** 53, -(2 ** 53), 1e300],
);
const small = fc.constantFrom(0, 1, 2, 3, -1, -2, 5, 20);
const dates = fc
  .oneof(
    fc.constantFrom(
      '2024-02-29T23:59:59.999Z',
      '2024-01-31T00:00:00.000Z',
      '1999-12-31T12:00:00.001Z',
      '2000-03-01T01:02:03.000Z',
    ),
    fc.integer({ min: Date.UTC(1900), max: Date.UTC(2100) }).map((ms) => new Date(ms).toISOString()),
  )
  .map((date) => ({ $date: date }));
const bytes = fc.constantFrom('', 'AAH/gA==', 'YWJj', '8J+mig==').map((base64) => ({ $bytes: base64 }));
const scalars = fc.oneof(texts, numbers, small, fc.constantFrom(null, true, false), dates);
const names = fc.constantFrom('a', 'b', 'name', 'a.b', 'id', '1', 'length', '__proto__', 'constructor', '');
const members = fc.constantFrom('a', 'b', 'name', 'a.b', 'id', '1');
const records = fc.dictionary(
  members,
  fc.oneof(scalars, fc.record({ b: scalars }, { noNullPrototype: true })),
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
);
const sortable = fc.oneof(
  fc.array(fc.oneof(numbers, small), { maxLength: 8 }),
  fc.array(texts, { maxLength: 8 }),
);
const lists = fc.oneof(
  sortable,
  fc.array(scalars, { maxLength: 6 }),
  fc.array(records, { maxLength: 5 }),
  fc.array(fc.oneof(small, fc.array(fc.oneof(small, fc.array(small, { maxLength: 2 })), { maxLength: 3 })), {
    maxLength: 4,
  }),
);
const values = fc.oneof(scalars, lists, records, bytes);
const orders = fc.constantFrom('asc', 'desc', 'asc ci', 'desc ci', 'ASC', 'name', '');
const formats = fc.constantFrom(
  ...[
    'YYYY-MM-DD',
    'D.M.YYYY H:mm',
    'YYYY-MM-DDTHH:mm:ss.SSSZ',
    'dddd, MMMM D',
    'DDDD',
    'hh:mm a',
    'h:mm A',
    'X',
    'x',
  ],
  ...['[Q]Q YY', 'E ddd dd d', 'kk:k', 'MMM DDD', 'HH[h]mm', 'YYYYMMDD', ''],
);
const dateTexts = fc
  .tuple(
    fc.integer({ min: 1000, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 31 }),
    fc.nat(3),
  )
  .chain(([year, month, day, shape]) => {
    const [mm, dd] = [month, day].map((part) => String(part).padStart(2, '0'));
    const date = [
      `${year}-${mm}-${dd}`,
      `${year}/${mm}/${dd}`,
      `${mm}/${dd}/${year}`,
      `${day}.${month}.${year}`,
    ][shape];
    return fc
      .constantFrom('', ' 17:26', ' 17:26:44', 'T17:26:44.356Z', ' 19:26:44+02:00')
      .map((time) => date + time);
  });

/** Usual types of the arguments of a function. The last one repeats for variadic functions. */
const ARGUMENTS: Readonly<Record<string, readonly fc.Arbitrary<unknown>[]>> = {
  ...Object.fromEntries(Object.keys(DESCRIBED).map((name) => [name, [texts, texts, texts]])),
  ...fill(
    ['if', 'ifempty', 'switch', 'equal', 'isArray', 'createJSON', 'toString', 'length'],
    [values, values, values],
  ),
  ...fill(['get'], [fc.oneof(records, lists), fc.oneof(names, small)]),
  ...fill(['omit', 'pick'], [records, names, names]),
  ...fill(['abs', 'ceil', 'floor', 'round'], [fc.oneof(numbers, texts)]),
  ...fill(
    ['trunc', 'formatNumber'],
    [numbers, small, fc.constantFrom(',', '.', ''), fc.constantFrom('.', ' ', '')],
  ),
  ...fill(
    ['average', 'max', 'min', 'sum', 'median', 'stdevS', 'stdevP'],
    [fc.oneof(sortable, numbers), numbers, texts],
  ),
  ...fill(['parseNumber'], [texts, fc.constantFrom('.', ',', ';', '')]),
  ...fill(['contains'], [fc.oneof(lists, texts), scalars, fc.constantFrom(true, false, 'false', 1)]),
  ...fill(['indexOf', 'substring'], [texts, fc.oneof(small, texts), small]),
  ...fill(['sha1', 'sha256', 'sha512'], [fc.oneof(texts, bytes), fc.constantFrom('hex', 'base64'), texts]),
  ...fill(['base64', 'md5', 'toBinary'], [fc.oneof(texts, bytes, scalars)]),
  ...fill(['toString', 'toBinary', 'ascii', 'capitalize', 'lower', 'upper', 'trim', 'startcase'], [scalars]),
  ...fill(
    ['addSeconds', 'addMinutes', 'addHours', 'addDays', 'addMonths', 'addYears'],
    [dates, fc.oneof(small, fc.integer({ min: -500, max: 500 }))],
  ),
  ...fill(
    ['setSecond', 'setMinute', 'setHour', 'setDate', 'setDay', 'setMonth'],
    [dates, fc.integer({ min: -70, max: 70 })],
  ),
  ...fill(['setYear'], [dates, fc.integer({ min: 1900, max: 2200 })]),
  ...fill(
    ['dateDifference'],
    [dates, dates, fc.constantFrom('', 'milliseconds', 'seconds', 'minutes', 'hours', 'days')],
  ),
  ...fill(['formatDate'], [dates, formats, fc.constant('UTC')]),
  ...fill(['parseDate'], [dateTexts]),
  ...fill(['add', 'remove'], [lists, scalars, scalars]),
  ...fill(['arrayDiff', 'arrayIntersect', 'merge'], [lists, lists, lists]),
  ...fill(['deduplicate', 'first', 'last', 'reverse', 'toArray', 'keys'], [fc.oneof(lists, records)]),
  ...fill(['distinct', 'join'], [lists, fc.oneof(names, texts)]),
  ...fill(['flatten', 'slice'], [lists, small, small]),
  ...fill(['map'], [fc.array(records, { maxLength: 5 }), names, names, fc.oneof(texts, lists)]),
  ...fill(
    ['sort'],
    [
      fc.oneof(sortable, fc.array(records, { maxLength: 5 })),
      fc.oneof(orders, members),
      fc.oneof(members, orders),
    ],
  ),
  ...fill(['toCollection'], [fc.array(records, { maxLength: 5 }), members, members]),
};

function fill(
  called: readonly string[],
  args: readonly fc.Arbitrary<unknown>[],
): Readonly<Record<string, readonly fc.Arbitrary<unknown>[]>> {
  return Object.fromEntries(called.map((name) => [name, args]));
}

/** Arguments of their kinds mostly; now and then one of another kind, none, or one less. */
const calls = fc.oneof(
  ...Object.entries(ARGUMENTS).map(([name, kinds]) =>
    fc
      .tuple(
        fc.tuple(
          ...kinds.map((kind) =>
            fc.oneof(
              { weight: 12, arbitrary: kind },
              { weight: 1, arbitrary: jsonValues },
              fc.constant(ABSENT),
            ),
          ),
        ),
        fc.nat({ max: kinds.length + 1 }),
      )
      .map(([args, count]) => ({ name, args: args.slice(0, Math.max(1, count)) })),
  ),
);

/** Results that other functions take. */
const OUTER = [
  'length',
  'toString',
  'createJSON',
  'first',
  'join',
  'sort',
  'sum',
  'keys',
  'upper',
  'isArray',
];

const compiled = new Map<string, (scope: Record<string, unknown>) => unknown>();

function templateOf(
  name: string,
  count: number,
  then: string | null,
): (scope: Record<string, unknown>) => unknown {
  const call = `${name}(${Array.from({ length: count }, (_, index) => `a${index}`).join('; ')})`;
  const text = then === null ? `{{${call}}}` : `{{${then}(${call})}}`;
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compileTemplate(text, { environment: ENVIRONMENT, functions: FUNCTIONS, pointer: '' });
  compiled.set(text, made);
  return made;
}

/** The functions of the engine against others that are written from the description alone. */
export const functions: Target<Input> = {
  name: 'functions',
  input: fc
    .tuple(calls, fc.option(fc.constantFrom(...OUTER), { freq: 4 }))
    .map(([call, then]) => ({ ...call, then })),
  survive: ({ name, args: written, then }) => {
    const args = written.map((arg) => (arg === ABSENT ? undefined : fromPortable(arg)));
    const expected = expectedOf(name, args, then);
    const scope = Object.fromEntries(args.map((arg, index) => [`a${index}`, arg]));
    const before = fc.stringify(args);
    const got = outcomeOf(() => templateOf(name, args.length, then)(scope));
    if (fc.stringify(args) !== before) throw new Error('An argument was changed.');
    if (expected === undefined || same(got, expected)) return;
    throw new Error(`${fc.stringify(got)} is not ${fc.stringify(expected)}`);
  },
};

/** Undefined where the description leaves it open. */
function expectedOf(name: string, args: readonly unknown[], then: string | null): unknown {
  try {
    const inner = DESCRIBED[name]?.(...args);
    const value = then === null ? inner : DESCRIBED[then]?.(inner);
    // A whole expression that is no number is null.
    return { value: typeof value === 'number' && !Number.isFinite(value) ? null : value };
  } catch (error) {
    if (error instanceof Failure) return { fails: true };
    if (error instanceof Undocumented) return undefined;
    throw error;
  }
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return { fails: true };
  }
}

/** Equal, except for the last digits of numbers that were added in another order. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  }
  if (a instanceof Date || b instanceof Date)
    return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.join() !== Object.keys(b).join()) return false;
  return names.every((name) => same(Reflect.get(a, name), Reflect.get(b, name)));
}
