import { testPattern } from '../../../engine/parameters/test-pattern.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';

/** Compares a value inside a matcher with the options of the outer comparison. */
export type IsAsExpected = (expected: unknown, got: unknown) => boolean;

interface Matcher {
  /** The required argument, for error messages. */
  readonly argument: string;
  readonly accepts: (argument: unknown) => boolean;
  readonly matches: (argument: unknown, got: unknown, isAsExpected: IsAsExpected) => boolean;
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

const IS_TRUE: Pick<Matcher, 'argument' | 'accepts'> = {
  argument: 'true',
  accepts: (argument) => argument === true,
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => isPlainObject(value),
  null: (value) => value === null,
  date: (value) => value instanceof Date,
  buffer: (value) => value instanceof Uint8Array,
};

/** All matchers. */
const MATCHERS: Readonly<Record<string, Matcher>> = {
  $any: { ...IS_TRUE, matches: (_argument, got) => got !== undefined },
  $type: {
    argument: `one of ${Object.keys(TYPES).join(', ')}`,
    accepts: (argument) => typeof argument === 'string' && Object.hasOwn(TYPES, argument),
    matches: (argument, got) => TYPES[String(argument)]?.(got) === true,
  },
  $regex: {
    argument: 'a regular expression that is not empty',
    accepts: (argument) =>
      typeof argument === 'string' && argument !== '' && testPattern(argument, '') !== 'invalid',
    matches: (argument, got) =>
      (typeof got === 'string' || typeof got === 'number') &&
      testPattern(String(argument), String(got)) === 'match',
  },
  $iso: {
    ...IS_TRUE,
    matches: (_argument, got) =>
      got instanceof Date
        ? !Number.isNaN(got.getTime())
        : typeof got === 'string' && ISO.test(got) && !Number.isNaN(Date.parse(got)),
  },
  $uuid: { ...IS_TRUE, matches: (_argument, got) => typeof got === 'string' && UUID.test(got) },
  $contains: {
    argument: 'a part of the value that is not empty',
    accepts: (argument) => argument !== undefined && measureLength(argument) !== 0,
    matches: (argument, got, isAsExpected) => contains(argument, got, isAsExpected),
  },
  $length: {
    argument: 'a whole number from 0 on',
    accepts: (argument) => typeof argument === 'number' && Number.isInteger(argument) && argument >= 0,
    matches: (argument, got) => measureLength(got) === argument,
  },
};

/** Names of the matchers. */
export const MATCHER_NAMES: readonly string[] = Object.keys(MATCHERS);

/** Tags for values that JSON lacks; not matchers. */
const TAGS: ReadonlySet<string> = new Set(['$date', '$buffer', '$undefined', '$nullish']);

/** Whether a value is an object of matchers, all of which must match. */
export function isMatcher(value: unknown): value is PlainObject {
  if (!isPlainObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => Object.hasOwn(MATCHERS, name));
}

/** Whether a value satisfies all matchers. */
export function matchesAll(matcher: PlainObject, got: unknown, isAsExpected: IsAsExpected): boolean {
  return Object.entries(matcher).every(
    ([name, argument]) => MATCHERS[name]?.matches(argument, got, isAsExpected) === true,
  );
}

/**
 * The problem of an object whose members all look like matchers (`{"$regx": "a"}`). Undefined for valid matchers and
 * for data: an object with any other member is data.
 */
export function matcherProblem(
  value: PlainObject,
): { readonly name: string; readonly message: string } | undefined {
  const names = Object.keys(value);
  if (names.length === 0 || !names.every((name) => name.startsWith('$'))) return undefined;
  const [first] = names;
  if (names.length === 1 && first !== undefined && TAGS.has(first)) return undefined;
  for (const name of names) {
    const matcher = Object.hasOwn(MATCHERS, name) ? MATCHERS[name] : undefined;
    if (matcher === undefined) {
      const hint = didYouMean(name, MATCHER_NAMES) || ` There are ${MATCHER_NAMES.join(', ')}.`;
      return { name, message: `Unknown matcher "${name}".${hint}` };
    }
    if (!matcher.accepts(value[name])) return { name, message: `${name} needs ${matcher.argument}.` };
  }
  return undefined;
}

function contains(part: unknown, got: unknown, isAsExpected: IsAsExpected): boolean {
  if (typeof got === 'string') return typeof part === 'string' && got.includes(part);
  if (Array.isArray(got)) {
    const wanted = Array.isArray(part) ? part : [part];
    return wanted.every((item) => got.some((candidate) => holds(item, candidate, isAsExpected)));
  }
  return isPlainObject(part) && holds(part, got, isAsExpected);
}

/** Equal, or an object that contains all members of the other, recursively. */
function holds(part: unknown, got: unknown, isAsExpected: IsAsExpected): boolean {
  if (!isPlainObject(part) || isMatcher(part) || !isPlainObject(got)) return isAsExpected(part, got);
  return Object.entries(part).every(
    ([name, member]) => Object.hasOwn(got, name) && holds(member, got[name], isAsExpected),
  );
}

function measureLength(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return isPlainObject(value) ? Object.keys(value).length : undefined;
}
