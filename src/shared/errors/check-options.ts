import { isObject, isPlainObject } from '../plain-object.js';
import { didYouMean } from '../suggest.js';
import { EngineError } from './engine-error.js';

/**
 * Names the kind of a value for error messages: `null`, `text`, `the number NaN`, `a list`, `a promise`. Never shows
 * text, as it may be a secret.
 */
export function describeKind(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return value === '' ? 'empty text' : 'text';
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return `${value}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return `a ${typeof value}`;
  }
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'a list';
    if ('then' in value) return 'a promise';
    const prototype: object | null = Object.getPrototypeOf(value);
    const name: unknown = prototype?.constructor?.name;
    const isNamed = typeof name === 'string' && name !== 'Object' && /^\w{1,40}$/.test(name);
    return isNamed ? `an object of ${name}` : 'an object';
  } catch {
    // The value is a proxy whose traps throw.
    return 'an object';
  }
}

/** Allowed values of an option. */
export interface OptionShape {
  /** Completes the sentence "... has to be". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Allowed texts. Error messages suggest the nearest one. */
  readonly choices?: readonly string[];
}

/** One shape per member of `T`. */
export type OptionShapes<T> = { readonly [Name in keyof Required<T>]: OptionShape };

export const ANY_VALUE: OptionShape = { expected: 'anything', fits: () => true };
export const ANY_TEXT: OptionShape = { expected: 'text', fits: (value) => typeof value === 'string' };
export const ANY_BOOLEAN: OptionShape = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
};
export const ANY_NUMBER: OptionShape = {
  expected: 'a number',
  fits: (value) => typeof value === 'number' && !Number.isNaN(value),
};
export const ANY_FUNCTION: OptionShape = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
};
/** A plain object whose members can be read without an exception. */
export const ANY_OBJECT: OptionShape = objectUpTo(Number.POSITIVE_INFINITY);
/** Bytes; a Buffer is allowed. */
export const BYTES: OptionShape = { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array };
export const ANY_LIST: OptionShape = { expected: 'a list', fits: (value) => Array.isArray(value) };
export const TEXT_LIST: OptionShape = {
  expected: 'a list of texts',
  // Spreads first, as `some` skips holes.
  fits: (value) =>
    Array.isArray(value) && value.length < 1e6 && ![...value].some((entry) => !ANY_TEXT.fits(entry)),
};

/** An AbortSignal of any realm. */
export const SIGNAL: OptionShape = {
  expected: 'an AbortSignal',
  fits: (value) =>
    isObject(value) &&
    'aborted' in value &&
    typeof value.aborted === 'boolean' &&
    hasFunctions(value, ['addEventListener', 'removeEventListener', 'throwIfAborted']),
};

/**
 * A plain object. Reads each member once, so that a throwing getter is reported before other code relies on the value.
 *
 * @param most largest number of members to read. Larger objects pass; a later size check has to reject them.
 */
export function objectUpTo(most: number): OptionShape {
  return {
    expected: 'a plain object',
    fits: (value) => {
      if (!isPlainObject(value)) return false;
      const names = Object.keys(value);
      if (names.length <= most) for (const name of names) Reflect.get(value, name);
      return true;
    },
  };
}

/** One of the listed texts or numbers. */
export function oneOfChoices(...choices: readonly (string | number)[]): OptionShape {
  const texts = choices.filter((choice) => typeof choice === 'string');
  return {
    expected: choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`,
    fits: (value) => choices.some((choice) => choice === value),
    choices: texts,
  };
}

/** An object with the listed functions, own or inherited. The optional ones may be missing. */
export function objectWithFunctions(
  functions: readonly string[],
  optional: readonly string[] = [],
): OptionShape {
  const maybe = optional.length === 0 ? '' : `, and maybe ${optional.join(', ')}`;
  return {
    expected: `an object with the functions ${functions.join(', ')}${maybe}`,
    fits: (value) =>
      isObject(value) &&
      hasFunctions(value, functions) &&
      optional.every((name) => Reflect.get(value, name) === undefined || hasFunctions(value, [name])),
  };
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): OptionShape {
  return {
    expected:
      most === Number.MAX_SAFE_INTEGER
        ? `a whole number of at least ${least}`
        : `a whole number from ${least} to ${most}`,
    fits: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most,
  };
}

/** Accepts what either shape accepts. */
export function either(first: OptionShape, second: OptionShape): OptionShape {
  return {
    expected: `${first.expected} or ${second.expected}`,
    fits: (value) => first.fits(value) || second.fits(value),
    choices: [...(first.choices ?? []), ...(second.choices ?? [])],
  };
}

/**
 * Checks a value that an embedder without types may pass: each present member has to fit its shape, and unknown
 * members are rejected.
 *
 * @param what name of the object in messages: `The options of createEngine`
 * @param isOpen whether unknown members are allowed
 * @throws EngineError (USAGE) with the name of the invalid member
 */
export function checkMembers(
  input: unknown,
  shapes: Readonly<Record<string, OptionShape>>,
  what: string,
  isOpen = false,
): void {
  if (!isObject(input) || Array.isArray(input)) {
    throw new EngineError('USAGE', `${what}: expected an object, not ${describeKind(input)}.`);
  }
  const unknown = isOpen ? undefined : Object.keys(input).find((name) => !Object.hasOwn(shapes, name));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, Object.keys(shapes));
    throw new EngineError('USAGE', `${what}: unknown member "${unknown.slice(0, 80)}".${hint}`);
  }
  for (const name in shapes) {
    const shape = shapes[name];
    // Reads inherited members too: getters of a class are not own members.
    const value: unknown = Reflect.get(input, name);
    if (shape !== undefined && value !== undefined) checkValue(value, shape, `${what}: "${name}"`);
  }
}

/**
 * Checks the options of a public function.
 *
 * @param what name of the options in messages: `The options of createHost`
 * @param required names of required options
 * @throws as `checkMembers`, and EngineError (USAGE) for a missing required option
 */
export function checkOptions<T extends object>(
  options: T,
  shapes: OptionShapes<T>,
  what: string,
  required: readonly (keyof T & string)[] = [],
): void {
  checkMembers(options, shapes, what);
  const missing = required.find((name) => options[name] === undefined || options[name] === null);
  if (missing !== undefined) throw new EngineError('USAGE', `${what}: "${missing}" is missing.`);
}

/**
 * Checks one value.
 *
 * @throws EngineError (USAGE) if it does not fit
 */
export function checkValue(value: unknown, { fits, expected, choices }: OptionShape, what: string): void {
  if (fits(value)) return;
  const hint = typeof value === 'string' && choices !== undefined ? didYouMean(value, choices) : '';
  throw new EngineError('USAGE', `${what} has to be ${expected}, not ${describeKind(value)}.${hint}`);
}

function hasFunctions(value: object, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Allowed values of a limit. A limit is always a safe integer. */
interface BoundsRule {
  /** Smallest allowed value. Default: 0. */
  readonly least?: number;
  /** Whether `Infinity` is allowed and means "no limit". Default: false, as timers and memory sizes need a bound. */
  readonly infinity?: boolean;
}

/**
 * Merges limits into the defaults. Members that are undefined count as absent.
 *
 * @throws EngineError (USAGE) for an unknown limit, with the nearest name, and for a value outside of the rule
 */
export function resolveBounds<Limits extends object>(
  defaults: Limits,
  given: Partial<Limits>,
  { least = 0, infinity = false }: BoundsRule = {},
): Limits {
  const written = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of written) {
    if (!Object.hasOwn(defaults, name)) {
      throw new EngineError('USAGE', `Unknown limit "${name}".${didYouMean(name, Object.keys(defaults))}`);
    }
    const allowed =
      (Number.isSafeInteger(value) && Number(value) >= least) || (infinity && value === Infinity);
    if (!allowed) {
      throw new EngineError(
        'USAGE',
        `The limit "${name}" has to be a whole number of at least ${least}${infinity ? ', or Infinity' : ''}.`,
      );
    }
  }
  return { ...defaults, ...Object.fromEntries(written) };
}
