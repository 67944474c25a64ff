import { createHash, createHmac } from 'node:crypto';
import { atIndex, Failure, member, text } from './reference-evaluator.js';

/** Result for arguments whose behavior is not documented. It is not compared. */
export class Undocumented extends Error {}

type Collection = Readonly<Record<string, unknown>>;
type Reference = (...args: unknown[]) => unknown;

function fail(): never {
  throw new Failure('function-error', '');
}

function undocumented(): never {
  throw new Undocumented();
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isEmpty(value: unknown): boolean {
  return isMissing(value) || value === '';
}

function isCollection(value: unknown): value is Collection {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Numeric text: `1e5`, but neither `0x1` nor `Infinity`. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value))
    return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : undefined;
}

function number(value: unknown): number {
  return numberOf(value) ?? fail();
}

/** Counts and positions ignore fractions. */
function whole(value: unknown, fallback: number): number {
  return isEmpty(value) ? fallback : Math.trunc(number(value));
}

function list(value: unknown): readonly unknown[] {
  if (isMissing(value)) return [];
  return Array.isArray(value) ? value : fail();
}

function collection(value: unknown): Collection {
  if (isMissing(value)) return {};
  return isCollection(value) ? value : fail();
}

/** Reads a dotted path. A member whose name is the whole path has precedence. */
function path(value: unknown, written: string): unknown {
  if (isCollection(value) && Object.hasOwn(value, written)) return member(value, written);
  return written.split('.').reduce<unknown>((at, segment) => member(at, segment), value);
}

/** Compares by type and content. */
function equal(a: unknown, b: unknown): boolean {
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b);
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (isCollection(a) && isCollection(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]))
    );
  }
  return a === b;
}

/** Comparison of `distinct`: primitives by text. */
function alike(a: unknown, b: unknown): boolean {
  const primitive = ['string', 'number', 'boolean'];
  return primitive.includes(typeof a) && primitive.includes(typeof b) ? text(a) === text(b) : equal(a, b);
}

/** A function of one text. A missing text is returned unchanged. */
function ofText(run: (input: string, ...args: unknown[]) => unknown): Reference {
  return (value, ...args) => (isMissing(value) ? value : run(text(value), ...args));
}

/** A non-finite result is null; minus zero is zero. */
function plain(result: number): number | null {
  return Number.isFinite(result) ? result + 0 : null;
}

function ofNumber(run: (input: number, ...args: unknown[]) => number): Reference {
  return (value, ...args) => (isMissing(value) ? value : plain(run(number(value), ...args)));
}

/** Numbers of an array or of the arguments. Other values are ignored. */
function ofNumbers(run: (numbers: readonly number[]) => number): Reference {
  return (...args) => plain(run(args.flat(1).flatMap((value) => numberOf(value) ?? [])));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

function deviation(numbers: readonly number[], divisor: number): number {
  if (divisor < 1) return Number.NaN;
  return Math.sqrt(sum(numbers.map((each) => (each - mean(numbers)) ** 2)) / divisor);
}

/** The digits of a number, and the number of decimals. */
function digitsOf(value: number): { readonly digits: bigint; readonly scale: number } {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const [front = '', behind = ''] = mantissa.split('.');
  return { digits: BigInt(front + behind), scale: behind.length - Number(exponent) };
}

function truncated(value: number, decimals: number): number {
  if (Math.abs(decimals) > 30) return undocumented();
  const { digits, scale } = digitsOf(value);
  if (scale <= decimals) return value;
  const kept = digits / 10n ** BigInt(scale - decimals);
  return Number(`${value < 0 ? '-' : ''}${kept}e${-decimals}`);
}

/** Rounds decimal digits half away from zero. */
function formatted(value: number, places: number, point: string, thousands: string): string {
  const { digits, scale } = digitsOf(value);
  const cut = scale - places;
  const half = cut > 0 ? 5n * 10n ** BigInt(cut - 1) : 0n;
  const rounded = cut > 0 ? (digits + half) / 10n ** BigInt(cut) : digits * 10n ** BigInt(-cut);
  if (value < 0 && rounded === 0n) return undocumented();
  const all = String(rounded).padStart(places + 1, '0');
  const front = all.slice(0, all.length - places);
  const groups: string[] = [];
  for (let end = front.length; end > 0; end -= 3) groups.unshift(front.slice(Math.max(0, end - 3), end));
  const behind = places > 0 ? point + all.slice(all.length - places) : '';
  return `${value < 0 ? '-' : ''}${groups.join(thousands)}${behind}`;
}

function hash(algorithm: string): Reference {
  return (value, encoding, key, keyEncoding) => {
    if (isMissing(value)) return value;
    if (!isMissing(encoding) && encoding !== 'hex' && encoding !== 'base64') return undocumented();
    if (!isMissing(keyEncoding) || (!isMissing(key) && (typeof key !== 'string' || key === '')))
      return undocumented();
    const form = isMissing(encoding) ? 'hex' : encoding;
    const data = value instanceof Uint8Array ? value : text(value);
    const hash = isMissing(key) ? createHash(algorithm) : createHmac(algorithm, String(key));
    return hash.update(data).digest(form);
  };
}

/** A date and an integer amount. Another target covers invalid dates (section 8.5). */
function ofDate(change: (date: Date, amount: number) => void): Reference {
  return (value, amount) => {
    if (!(value instanceof Date)) return undocumented();
    const by = number(amount);
    if (!Number.isInteger(by) || Math.abs(by) > 100_000) return undocumented();
    const result = new Date(value);
    change(result, by);
    return Number.isNaN(result.getTime()) ? undocumented() : result;
  };
}

function ofMilliseconds(unit: number): Reference {
  return ofDate((date, by) => date.setTime(date.getTime() + by * unit));
}

/** Adds months. A date after the end of the month becomes its last day. */
function addMonths(date: Date, by: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + by);
  const days = new Date(Date.UTC(2000, date.getUTCMonth() + 1, 0)).getUTCDate();
  const year = date.getUTCFullYear();
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  date.setUTCDate(Math.min(day, date.getUTCMonth() === 1 && !isLeap ? 28 : days));
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Tokens with their output, longest first. */
const TOKENS: Readonly<Record<string, (date: Date) => string | number>> = {
  YYYY: (date) => date.getUTCFullYear(),
  YY: (date) => two(date.getUTCFullYear() % 100),
  Q: (date) => Math.floor(date.getUTCMonth() / 3) + 1,
  MMMM: (date) => MONTHS[date.getUTCMonth()] ?? '',
  MMM: (date) => (MONTHS[date.getUTCMonth()] ?? '').slice(0, 3),
  MM: (date) => two(date.getUTCMonth() + 1),
  M: (date) => date.getUTCMonth() + 1,
  DDDD: (date) => String(dayOfYear(date)).padStart(3, '0'),
  DDD: dayOfYear,
  DD: (date) => two(date.getUTCDate()),
  D: (date) => date.getUTCDate(),
  dddd: (date) => DAYS[date.getUTCDay()] ?? '',
  ddd: (date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 3),
  dd: (date) => (DAYS[date.getUTCDay()] ?? '').slice(0, 2),
  d: (date) => date.getUTCDay(),
  E: (date) => date.getUTCDay() || 7,
  HH: (date) => two(date.getUTCHours()),
  H: (date) => date.getUTCHours(),
  hh: (date) => two(date.getUTCHours() % 12 || 12),
  h: (date) => date.getUTCHours() % 12 || 12,
  kk: (date) => two(date.getUTCHours() || 24),
  k: (date) => date.getUTCHours() || 24,
  A: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  mm: (date) => two(date.getUTCMinutes()),
  m: (date) => date.getUTCMinutes(),
  ss: (date) => two(date.getUTCSeconds()),
  s: (date) => date.getUTCSeconds(),
  SSS: (date) => String(date.getUTCMilliseconds()).padStart(3, '0'),
  ZZ: () => '+0000',
  Z: () => '+00:00',
  X: (date) => Math.floor(date.getTime() / 1000),
  x: (date) => date.getTime(),
};

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

function formatDate(date: unknown, format: unknown, zone: unknown): unknown {
  if (
    !(date instanceof Date) ||
    typeof format !== 'string' ||
    format === '' ||
    (!isMissing(zone) && zone !== 'UTC')
  )
    return undocumented();
  const year = date.getUTCFullYear();
  if (year < 1000 || year > 9999) return undocumented();
  let written = '';
  for (let at = 0; at < format.length; ) {
    const literal = /^\[([^[\]]*)\]/.exec(format.slice(at));
    const token = Object.keys(TOKENS).find((each) => format.startsWith(each, at));
    // A longer run of a letter and unknown letters may be other tokens.
    if (token !== undefined && format[at + token.length] === format[at]) return undocumented();
    if (token === undefined && literal === null && /[A-Za-z[\]\\]/.test(format[at] ?? ''))
      return undocumented();
    if (token !== undefined && format[at + token.length] === 'o') return undocumented();
    written += token === undefined ? (literal?.[1] ?? format[at]) : TOKENS[token]?.(date);
    at += token?.length ?? literal?.[0].length ?? 1;
  }
  return written;
}

/** Shapes of dates in text, with the order of their parts. Source: https://help.make.com/type-coercion. */
const SHAPES: readonly (readonly [RegExp, year: number, month: number, day: number])[] = [
  [/^(\d{4})-(\d\d)-(\d\d)(.*)$/, 1, 2, 3],
  [/^(\d{4})\/(\d\d)\/(\d\d)(.*)$/, 1, 2, 3],
  [/^(\d\d)\/(\d\d)\/(\d{4})(.*)$/, 3, 1, 2],
  [/^(\d\d?)\.(\d\d?)\.(\d{4})(.*)$/, 3, 2, 1],
];
const TIME = /^(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(Z|[+-]\d\d:\d\d)?)?$/;

function parseDate(value: unknown, format: unknown, zone: unknown): unknown {
  if (typeof value !== 'string' || !isMissing(format) || !isMissing(zone)) return undocumented();
  for (const [shape, year, month, day] of SHAPES) {
    const parts = shape.exec(value);
    const time = TIME.exec(parts?.[4] ?? 'no time');
    if (parts === null || time === null) continue;
    const [, hours = '0', minutes = '0', seconds = '0', milliseconds = '0', offset = 'Z'] = time;
    const date = new Date(Date.UTC(Number(parts[year]), Number(parts[month]) - 1, Number(parts[day])));
    const isThere = date.getUTCMonth() === Number(parts[month]) - 1 && Number(parts[year]) >= 1000;
    if (!isThere || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undocumented();
    date.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(milliseconds));
    if (offset === 'Z') return date;
    const [ahead = 0, and = 0] = offset.slice(1).split(':').map(Number);
    if (ahead > 12 || and > 59) return undocumented();
    return new Date(date.getTime() - (offset[0] === '-' ? -1 : 1) * (ahead * 60 + and) * 60_000);
  }
  return undocumented();
}

const UNITS: Readonly<Record<string, number>> = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
};

const ORDERS = ['asc', 'desc', 'asc ci', 'desc ci'];

/** Numbers by value, then text by code unit; case-insensitive with `ci`. Other types are not documented. */
function sort(array: unknown, second: unknown, third: unknown): unknown {
  const items = list(array);
  const isOrder = (value: unknown): value is string => typeof value === 'string' && ORDERS.includes(value);
  // Upper-case orders are not documented.
  if ([second, third].some((each) => !isOrder(each) && isOrder(text(each).trim().toLowerCase())))
    return undocumented();
  const order = isEmpty(second) ? 'asc' : isOrder(second) ? second : isOrder(third) ? third : 'asc';
  const key = isEmpty(second) || isOrder(second) ? third : second;
  if (!isEmpty(second) && !isOrder(second) && !isEmpty(third) && !isOrder(third)) return fail();
  const keys = items.map((item) => (isEmpty(key) ? item : path(item, text(key))));
  const isMixed = new Set(keys.map((each) => typeof each)).size > 1;
  if (keys.some((each) => typeof each !== 'number' && typeof each !== 'string')) return undocumented();
  if (isMixed && order.startsWith('desc')) return undocumented();
  const folded = keys.map((each) =>
    typeof each === 'string' && order.endsWith('ci') ? each.toLowerCase() : each,
  );
  const before = (a: unknown, b: unknown): boolean =>
    typeof a === typeof b ? (a as string) < (b as string) : typeof a === 'number';
  const sorted: number[] = [];
  // Insertion sort.
  for (let index = 0; index < items.length; index++) {
    let at = sorted.length;
    while (at > 0) {
      const [left, right] = [folded[sorted[at - 1] ?? 0], folded[index]];
      if (order.startsWith('desc') ? !before(left, right) : !before(right, left)) break;
      at--;
    }
    sorted.splice(at, 0, index);
  }
  return sorted.map((index) => items[index]);
}

function flatten(items: readonly unknown[], depth: number): unknown[] {
  return items.flatMap((item) => (Array.isArray(item) && depth >= 1 ? flatten(item, depth - 1) : [item]));
}

function map(array: unknown, key: unknown, filterKey: unknown, values: unknown): unknown {
  const allowed = Array.isArray(values) ? values.map(text) : text(values).split(',');
  const passes = (item: unknown): boolean => {
    const found = path(item, text(filterKey));
    return !isMissing(found) && allowed.includes(text(found));
  };
  return list(array)
    .filter((item) => isEmpty(filterKey) || passes(item))
    .map((item) => (isEmpty(key) ? item : path(item, text(key))))
    .filter((value) => value !== undefined);
}

function firstOfEach(items: readonly unknown[], key: unknown): unknown[] {
  const keyOf = (item: unknown): unknown => (isEmpty(key) ? item : path(item, text(key)));
  return items.filter(
    (item, index) => !items.slice(0, index).some((each) => alike(keyOf(each), keyOf(item))),
  );
}

/** JSON of plain data. Other values are not documented. */
function json(value: unknown): string {
  if (isMissing(value)) return 'null';
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (isCollection(value)) {
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => `${JSON.stringify(name)}:${json(inner)}`)
      .join(',')}}`;
  }
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return typeof value === 'object' ? undocumented() : JSON.stringify(value);
}

function keepMembers(value: unknown, names: readonly unknown[], isKept: boolean): unknown {
  if (names.some((name) => typeof name === 'object')) return undocumented();
  const written = names.map(text);
  return Object.fromEntries(
    Object.entries(collection(value)).filter(([name]) => written.includes(name) === isKept),
  );
}

/**
 * Reference implementation of the documented functions: simple, slow, unbounded, and independent of the tested functions.
 * Throws `Undocumented` for arguments whose result is not documented.
 */
export const DESCRIBED: Readonly<Record<string, Reference>> = {
  if: (condition, yes, no) => (condition ? yes : no),
  ifempty: (value, other) => (isEmpty(value) ? other : value),
  switch: (value, ...cases) => {
    for (let at = 0; at + 1 < cases.length; at += 2)
      if (text(cases[at]) === text(value)) return cases[at + 1];
    return cases.length % 2 === 1 ? cases.at(-1) : undefined;
  },
  get: (value, at) => {
    if (isEmpty(at)) return undefined;
    if (typeof at === 'number') return atIndex(value, at);
    return typeof at === 'string' ? path(value, at) : undocumented();
  },
  omit: (value, ...names) => keepMembers(value, names, false),
  pick: (value, ...names) => keepMembers(value, names, true),
  equal,

  abs: ofNumber(Math.abs),
  ceil: ofNumber(Math.ceil),
  floor: ofNumber(Math.floor),
  round: ofNumber((value) => Math.floor(value) + (value - Math.floor(value) >= 0.5 ? 1 : 0)),
  trunc: ofNumber((value, decimals) => truncated(value, whole(decimals, 0))),
  average: ofNumbers(mean),
  max: ofNumbers((numbers) => Math.max(...numbers)),
  min: ofNumbers((numbers) => Math.min(...numbers)),
  sum: ofNumbers(sum),
  median: ofNumbers((numbers) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
    return upper === lower ? upper : (lower + upper) / 2;
  }),
  stdevS: ofNumbers((numbers) => deviation(numbers, numbers.length - 1)),
  stdevP: ofNumbers((numbers) => deviation(numbers, numbers.length)),
  formatNumber: (value, decimals, point, thousands) => {
    if (isMissing(value)) return value;
    const places = whole(decimals, 0);
    if (places < 0 || places > 100) return fail();
    const separator = (input: unknown, usual: string): string => (isMissing(input) ? usual : text(input));
    return formatted(number(value), places, separator(point, ','), separator(thousands, '.'));
  },
  parseNumber: (value, point) => {
    if (isMissing(value)) return value;
    if (typeof value === 'number') return number(value);
    const mark = isEmpty(point) ? '.' : text(point);
    if (mark !== '.' && mark !== ',') return fail();
    const kept = [...text(value)].filter((each) => !/\s/.test(each) && each !== (mark === '.' ? ',' : '.'));
    return number(kept.map((each) => (each === mark ? '.' : each)).join(''));
  },

  ascii: ofText((input, plainLetters) =>
    isMissing(plainLetters) ? [...input].filter((each) => each <= '\u007f').join('') : undocumented(),
  ),
  base64: (value) =>
    isMissing(value)
      ? value
      : Buffer.from(value instanceof Uint8Array ? value : text(value)).toString('base64'),
  capitalize: ofText((input) => {
    const [first = '', ...rest] = [...input];
    return first.toUpperCase() + rest.join('');
  }),
  contains: (value, search, ignoreCase) => {
    if (isMissing(value)) return false;
    const fold = (each: unknown): unknown =>
      typeof each === 'string' && ignoreCase && ignoreCase !== 'false' ? each.toLowerCase() : each;
    if (Array.isArray(value)) return value.some((item) => equal(fold(item), fold(search)));
    return text(fold(text(value))).includes(text(fold(text(search))));
  },
  decodeURL: ofText((input) => {
    try {
      return decodeURIComponent(input);
    } catch {
      return fail();
    }
  }),
  encodeURL: ofText((input) => encodeURIComponent(Buffer.from(input).toString())),
  escapeHTML: ofText((input) =>
    input.split('&').join('&amp;').split('<').join('&lt;').split('>').join('&gt;'),
  ),
  indexOf: ofText((input, search, start) => input.indexOf(text(search), whole(start, 0))),
  length: (value) => {
    if (isMissing(value)) return 0;
    if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
    return isCollection(value) ? Object.keys(value).length : text(value).length;
  },
  lower: ofText((input) => input.toLowerCase()),
  upper: ofText((input) => input.toUpperCase()),
  md5: (value) => (isMissing(value) ? value : hash('md5')(value)),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
  replace: ofText((input, search, replacement) => {
    const sought = text(search);
    // Tests in test/language/pattern compare patterns with the host engine.
    if (sought.startsWith('/') && sought.lastIndexOf('/') > 1) return undocumented();
    return sought === '' ? input : input.split(sought).join(text(replacement));
  }),
  split: ofText((input, separator, keepsEmpty) => {
    const isWhole = isMissing(separator);
    const parts = isWhole ? [input] : text(separator) === '' ? [...input] : input.split(text(separator));
    const trimmed = parts.map((part) => part.trim());
    return keepsEmpty && keepsEmpty !== 'false' ? trimmed : trimmed.filter((part) => part.length > 0);
  }),
  startcase: ofText((input) => {
    if (!/^[A-Za-z ]*$/.test(input)) return undocumented();
    return input
      .split(' ')
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
      .join(' ');
  }),
  substring: ofText((input, start, end) => {
    const inside = (at: number): number => Math.min(Math.max(at, 0), input.length);
    const [a, b] = [inside(whole(start, 0)), inside(whole(end, input.length))];
    return input.slice(Math.min(a, b), Math.max(a, b));
  }),
  trim: ofText((input) => input.trim()),
  toBinary: (value, encoding) => {
    if (isMissing(value) || !isMissing(encoding)) return undocumented();
    if (value instanceof Uint8Array) return value;
    return Array.isArray(value) || isCollection(value) ? fail() : new Uint8Array(Buffer.from(text(value)));
  },
  toString: (value: unknown, encoding: unknown) =>
    isMissing(value) || !isMissing(encoding) ? undocumented() : text(value),

  addSeconds: ofMilliseconds(1000),
  addMinutes: ofMilliseconds(60_000),
  addHours: ofMilliseconds(3_600_000),
  addDays: ofMilliseconds(86_400_000),
  addMonths: ofDate(addMonths),
  addYears: ofDate((date, by) => addMonths(date, 12 * by)),
  setSecond: ofDate((date, to) => date.setUTCSeconds(to)),
  setMinute: ofDate((date, to) => date.setUTCMinutes(to)),
  setHour: ofDate((date, to) => date.setUTCHours(to)),
  setDate: ofDate((date, to) => date.setUTCDate(to)),
  setDay: ofDate((date, to) => date.setUTCDate(date.getUTCDate() - date.getUTCDay() + to - 1)),
  setMonth: ofDate((date, to) => (date.getUTCDate() > 28 ? undocumented() : date.setUTCMonth(to - 1))),
  setYear: ofDate((date, to) => (date.getUTCDate() > 28 ? undocumented() : date.setUTCFullYear(to))),
  dateDifference: (from, to, unit) => {
    if (!(from instanceof Date) || !(to instanceof Date)) return undocumented();
    const by =
      (from.getTime() - to.getTime()) /
      (UNITS[isEmpty(unit) ? 'milliseconds' : text(unit)] ?? undocumented());
    return Number.isInteger(by) ? by + 0 : undocumented();
  },
  formatDate,
  parseDate,

  add: (array, ...values) => [...list(array), ...values],
  arrayDiff: (array, second) => {
    const other = list(second);
    return list(array).filter((item) => !other.some((each) => equal(each, item)));
  },
  arrayIntersect: (array, second) => {
    const other = list(second);
    const shared = list(array).filter((item) => other.some((each) => equal(each, item)));
    return shared.filter((item, index) => !shared.slice(0, index).some((each) => equal(each, item)));
  },
  deduplicate: (array) => firstOfEach(list(array), undefined),
  distinct: (array, key) => firstOfEach(list(array), key),
  first: (array) => list(array)[0],
  last: (array) => list(array).at(-1),
  flatten: (array, depth) => flatten(list(array), whole(depth, 1)),
  isArray: (value) => Array.isArray(value),
  join: (array, separator) =>
    list(array)
      .map(text)
      .join(isMissing(separator) ? ',' : text(separator)),
  keys: (value) => Object.keys(Array.isArray(value) ? value : collection(value)),
  map,
  merge: (...arrays) => arrays.filter((each) => Array.isArray(each)).flat(1),
  remove: (array, ...values) => {
    const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;
    return list(array).filter(
      (item) => !isPrimitive(item) || !values.some((value) => isPrimitive(value) && equal(value, item)),
    );
  },
  reverse: (array) => [...list(array)].reverse(),
  slice: (array, start, end) => list(array).slice(whole(start, 0), whole(end, list(array).length)),
  sort,
  toArray: (value) =>
    Object.entries(Array.isArray(value) ? value : collection(value)).map(([key, inner]) => ({
      key,
      value: inner,
    })),
  toCollection: (array, keyField, valueField) => {
    const members = list(array).flatMap((item): (readonly [string, unknown])[] => {
      const name = path(item, text(keyField));
      return isMissing(name) ? [] : [[text(name), path(item, text(valueField))]];
    });
    return Object.fromEntries(members);
  },

  createJSON: (value) => (value === undefined ? undefined : json(value)),
  parseJSON: ofText((input) => {
    try {
      return JSON.parse(input);
    } catch {
      return input.startsWith('\ufeff') ? undocumented() : fail();
    }
  }),
};
