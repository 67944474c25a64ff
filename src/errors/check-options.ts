import { isPlainObject } from '../util/plain-object.js';
import { didYouMean } from '../util/suggest.js';
import { EngineError, isEngineError } from './engine-error.js';
import { ImlError } from './iml-error.js';

/**
 * What something handed in is, in words for its owner: `null`, `text`, `the number NaN`, `a list`, `a promise`. Texts are never
 * shown, as one in the wrong place may be a secret.
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
    // A proxy whose traps throw.
    return 'an object';
  }
}

/** What a value that an embedder hands in may be. */
export interface OptionShape {
  /** In words that go behind "has to be". */
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Texts it may be, of which the nearest is named. */
  readonly choices?: readonly string[];
}

/** A shape for each member that a type has. */
export type OptionShapes<T> = { readonly [Name in keyof Required<T>]: OptionShape };

export const ANY_VALUE: OptionShape = { expected: 'anything', fits: () => true };
export const ANY_TEXT: OptionShape = { expected: 'text', fits: (value) => typeof value === 'string' };
export const ANY_BOOLEAN: OptionShape = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
};
export const ANY_FUNCTION: OptionShape = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
};
/** A plain object whose members can be read. */
export const ANY_OBJECT: OptionShape = objectUpTo(Number.POSITIVE_INFINITY);
/** Bytes, also of a Buffer. */
export const BYTES: OptionShape = { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array };
export const ANY_LIST: OptionShape = { expected: 'a list', fits: (value) => Array.isArray(value) };
export const TEXT_LIST: OptionShape = {
  expected: 'a list of texts',
  // By hand, as `every` skips holes.
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
 * A plain object. Its members are read once: what throws then is told as that, before anything relies on it.
 *
 * @param most names of one that is read; more take long, and have to be refused before anything reads them
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

/** One of some texts or numbers. */
export function oneOfChoices(...choices: readonly (string | number)[]): OptionShape {
  const texts = choices.filter((choice) => typeof choice === 'string');
  return {
    expected: choices.length === 1 ? String(choices[0]) : `one of ${choices.join(', ')}`,
    fits: (value) => choices.some((choice) => choice === value),
    choices: texts,
  };
}

/** An object with such functions, its own or those of its class, of which some may be missing. */
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

/** What fits one of two. */
export function either(first: OptionShape, second: OptionShape): OptionShape {
  return {
    expected: `${first.expected} or ${second.expected}`,
    fits: (value) => first.fits(value) || second.fits(value),
    choices: [...(first.choices ?? []), ...(second.choices ?? [])],
  };
}

/**
 * Checks what an embedder without types may hand in: each member that is there has to fit, and no other name may stand in
 * it, as a misspelt one would go unheard.
 *
 * @param what how the object is called in messages: `The options of createEngine`
 * @param isOpen whether other names may stand in it, too
 * @throws EngineError (USAGE) for what does not fit, by its name; ImlError (IML_HOST_VALUE) for what throws while it is read
 */
export function checkMembers(
  given: unknown,
  shapes: Readonly<Record<string, OptionShape>>,
  what: string,
  isOpen = false,
): void {
  readSafely(what, () => {
    if (!isObject(given) || Array.isArray(given)) {
      throw new EngineError('USAGE', `${what}: an object is expected, not ${describeKind(given)}.`);
    }
    const unknown = isOpen ? undefined : Object.keys(given).find((name) => !Object.hasOwn(shapes, name));
    if (unknown !== undefined) {
      const hint = didYouMean(unknown, Object.keys(shapes));
      throw new EngineError('USAGE', `${what}: there is no "${unknown.slice(0, 80)}".${hint}`);
    }
    for (const name in shapes) {
      const shape = shapes[name];
      // Of a class, too: its getters are no own members.
      const value: unknown = Reflect.get(given, name);
      if (shape !== undefined && value !== undefined) assertFits(value, shape, `${what}: "${name}"`);
    }
  });
}

/**
 * Checks the options of a public function.
 *
 * @param what how messages call them: `The options of createHost`
 * @param required names that have to be there
 * @throws as `checkMembers`, and EngineError (USAGE) for a required one that is missing
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

/** @throws EngineError (USAGE), and ImlError (IML_HOST_VALUE) for what throws while it is looked at */
export function checkValue(value: unknown, shape: OptionShape, what: string): void {
  readSafely(what, () => assertFits(value, shape, what));
}

function assertFits(value: unknown, { fits, expected, choices }: OptionShape, what: string): void {
  if (fits(value)) return;
  const hint = typeof value === 'string' && choices !== undefined ? didYouMean(value, choices) : '';
  throw new EngineError('USAGE', `${what} has to be ${expected}, not ${describeKind(value)}.${hint}`);
}

/**
 * Reads something of an embedder's.
 *
 * @throws ImlError (IML_HOST_VALUE) where that throws what is no error of ours, a getter or a proxy
 */
export function readSafely<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isEngineError(error)) throw error;
    throw unreadable(what, error);
  }
}

function unreadable(what: string, cause: unknown): ImlError {
  return new ImlError('IML_HOST_VALUE', `${what} cannot be read: reading threw.`, { kind: 'type', cause });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function hasFunctions(value: object, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** What a limit may be, besides a whole number that a number holds exactly. */
interface BoundsRule {
  /** The smallest value. Default 0. */
  readonly least?: number;
  /** Whether `Infinity` stands for no limit. Default false: timers and sizes of memory need an end. */
  readonly infinity?: boolean;
}

/**
 * The default limits with the given ones in their place; a member that is undefined counts as absent.
 *
 * @throws EngineError (USAGE) for a name that is no limit, with the nearest one, and for a value the rule refuses
 */
export function resolveBounds<Limits extends object>(
  defaults: Limits,
  given: Partial<Limits>,
  { least = 0, infinity = false }: BoundsRule = {},
): Limits {
  const written = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of written) {
    if (!Object.hasOwn(defaults, name)) {
      throw new EngineError(
        'USAGE',
        `There is no limit "${name}".${didYouMean(name, Object.keys(defaults))}`,
      );
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
