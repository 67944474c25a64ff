import { isEngineError } from '../shared/errors/engine-error.js';
import { functionError, ImlError } from '../shared/errors/iml-error.js';
import type { SourceLocation } from '../shared/errors/source-location.js';
import { didYouMean } from '../shared/suggest.js';

/** The variables of an expression, as plain data. Names made of digits are module ids. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * Which source applies if Make's runtime and its documentation contradict each other; see docs/differences.md.
 * With `runtime`, `=` and `!=` compare loosely, and `split` trims the parts and drops empty ones.
 */
export type Semantics = (typeof SEMANTICS)[number];

export const SEMANTICS = ['runtime', 'documented'] as const;

/** Inputs of an expression besides its scope: the only source of impurity. */
export interface Environment {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** An RFC 4122 version 4 UUID. */
  readonly uuid: () => string;
  /** Scenario timezone, a tz database name. */
  readonly timezone: string;
  readonly semantics: Semantics;
  /** In version 1 a missing value is null, in version 2 undefined. */
  readonly platformVersion: 1 | 2;
  /**
   * Compares the texts of `=` and `!=` in constant time, if one of them may be a signature.
   * Default: the fast comparison.
   */
  readonly sameText?: ((left: string, right: string) => boolean) | undefined;
  readonly digest: Digest;
  /** Receives the output of `debug(...)` and `console` in custom functions. Default: the output is dropped. */
  readonly onDebug?: DebugListener | undefined;
  /** Whether calls of `if` report the chosen branch to the listener of their scope. Default: false. */
  readonly reportsBranches?: boolean | undefined;
}

/** A call of `debug(...)` or a method of `console` in a custom function. */
export interface DebugOutput {
  /** Name of the custom function. */
  readonly function: string;
  readonly values: readonly unknown[];
  /** Location of the call in the file of the function. */
  readonly place: SourceLocation;
}

type DebugListener = (output: DebugOutput) => void;

/** Algorithms that the hash functions and `jwt` use. */
export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** Computes a digest of `data` synchronously, or an HMAC if there is a key. Throws for an unsupported algorithm. */
export type Digest = (algorithm: DigestAlgorithm, data: Uint8Array, key?: Uint8Array) => Uint8Array;

/**
 * A built-in or custom function. It never modifies its arguments and throws only `functionError(...)`
 * or `limitError(...)`. A missing argument is undefined; additional arguments are ignored.
 */
export type ImlFunction = (environment: Environment, ...args: unknown[]) => unknown;

/** Functions by name. Only own properties count. */
export type FunctionTable = Readonly<Record<string, ImlFunction>>;

/** Options of an `Environment`; every field has a default. */
export interface EnvironmentOptions {
  /** Milliseconds since the epoch. Default: the system clock. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 (inclusive) to 1 (exclusive). Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** An RFC 4122 version 4 UUID. Default: `crypto.randomUUID`. */
  readonly uuid?: (() => string) | undefined;
  /** Scenario timezone, a tz database name. Default: `UTC`. */
  readonly timezone?: string | undefined;
  /** `runtime` (default): as Make evaluates expressions; `documented`: as Make documents them. */
  readonly semantics?: Semantics | undefined;
  /** 2 (default), or 1 for apps in which a missing value is null. */
  readonly platformVersion?: 1 | 2 | undefined;
  /** Computes digests. Default: `node:crypto`. Required outside Node by the hash functions and `jwt`. */
  readonly digest?: Environment['digest'] | undefined;
}

/** All defaults. `toEnvironment` returns one shared environment for this object. */
export const NO_OPTIONS: EnvironmentOptions = Object.freeze({});

/** Creates the environment that the options describe. */
export function toEnvironment(options: EnvironmentOptions): Environment {
  return options === NO_OPTIONS ? DEFAULT_ENVIRONMENT : createEnvironment(options);
}

function createEnvironment(options: EnvironmentOptions): Environment {
  const { now, random, uuid } = options;
  return {
    now: now ?? (() => Date.now()),
    random: random ?? (() => Math.random()),
    uuid: uuid ?? (() => globalThis.crypto.randomUUID()),
    timezone: options.timezone ?? 'UTC',
    semantics: options.semantics ?? 'runtime',
    platformVersion: options.platformVersion ?? 2,
    digest: options.digest ?? nodeDigest,
  };
}

/**
 * Computes digests with `node:crypto`. The module is looked up on use, not imported, so that the language loads in browsers.
 *
 * @throws ImlError `IML_FUNCTION` outside Node
 */
export const nodeDigest: Digest = (algorithm, data, key) => {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) {
    throw functionError(`Cannot compute ${algorithm} outside Node. Set the option "digest".`);
  }
  const hash = key === undefined ? crypto.createHash(algorithm) : crypto.createHmac(algorithm, key);
  return new Uint8Array(hash.update(data).digest());
};

const DEFAULT_ENVIRONMENT: Environment = Object.freeze(createEnvironment(NO_OPTIONS));

/**
 * The built-in variables, evaluated at each use. `executionId` is not among them: the host puts it into the scope.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc][app]
 */
const VARIABLES: ReadonlyMap<string, (environment: Environment) => unknown> = new Map([
  ['now', (environment: Environment): unknown => new Date(environment.now())],
  ['timestamp', (environment: Environment): unknown => Math.floor(environment.now() / 1000)],
  ['random', (environment: Environment): unknown => environment.random()],
  ['uuid', (environment: Environment): unknown => environment.uuid()],
  ['pi', (): unknown => Math.PI],
]);

/** Returns a function that reads a built-in variable, or undefined for an unknown name. */
export function findVariable(name: string, environment: Environment): (() => unknown) | undefined {
  const variable = VARIABLES.get(name);
  return variable && (() => variable(environment));
}

/** Location of an expression: its template, and the pointer of the template in the compiled value. */
export interface TemplateLocation {
  readonly source: string;
  /** JSON pointer inside the compiled value. */
  readonly pointer: string;
}

const ONLY_MAKE = "Only Make's own runtime has this function.";

/** Hints for unknown function names that apps are likely to use. [app] */
const HINTS: Readonly<Record<string, string>> = {
  and: 'Write a & b.',
  or: 'Write a | b.',
  not: 'Write !a.',
  exists: 'Write ifempty(a; b), or compare with null.',
  json: 'Write createJSON(a).',
  toJSON: 'Write createJSON(a).',
  escapeJSON: 'Write createJSON(a).',
  toNumber: 'Write parseNumber(a).',
  char: 'Write newline, tab, space, carriagereturn or nbsp.',
  set: 'No function writes into a collection.',
  toDataStructure: ONLY_MAKE,
  safeSerialize: ONLY_MAKE,
  getFieldMapping: ONLY_MAKE,
};

/** Creates the error `Function 'x' not found!`, which is Make's wording, with a hint as a property. [app] */
export function makeUnknownFunctionError(
  name: string,
  table: FunctionTable,
  location: TemplateLocation,
  offset: number,
): ImlError {
  const error = new ImlError('IML_UNKNOWN_FUNCTION', `Function '${name}' not found!`, {
    kind: 'unknown-function',
    source: location.source,
    offset,
    place: { pointer: location.pointer },
  });
  error.hint = Object.hasOwn(HINTS, name)
    ? HINTS[name]
    : didYouMean(name, Object.keys(table)).trim() || undefined;
  return error;
}

/**
 * Wraps an error of a call or of one of its arguments: `Function 'if' finished with error! ...`, once for each
 * enclosing call. [app]
 */
export function wrapCallError(
  thrown: unknown,
  name: string,
  location: TemplateLocation,
  offset: number,
): ImlError {
  const inner = asImlError(thrown);
  // A syntax error concerns the whole template and is not wrapped. [choice]
  if (inner.kind === 'syntax') return inner;
  const outer = new ImlError(inner.code, `Function '${name}' finished with error! ${inner.message}`, {
    kind: inner.kind,
    source: inner.source ?? location.source,
    offset: inner.offset ?? offset,
    place: inner.place ?? { pointer: location.pointer },
    cause: inner.cause,
  });
  outer.hint = inner.hint;
  return outer;
}

/** Converts any thrown value to an `ImlError`: evaluation throws nothing else. */
export function asImlError(thrown: unknown): ImlError {
  if (isEngineError(thrown, ImlError)) return thrown;
  if (isFullStack(thrown)) {
    return new ImlError('IML_LIMIT', 'The expression is nested too deeply for the remaining call stack.', {
      kind: 'limit',
      cause: thrown,
    });
  }
  return new ImlError('IML_HOST_VALUE', 'A value of the scope threw an error while it was read.', {
    kind: 'type',
    cause: thrown,
  });
}

/** A thrown proxy may throw again when it is read. */
function isFullStack(thrown: unknown): boolean {
  try {
    return thrown instanceof RangeError && /call stack/i.test(thrown.message);
  } catch {
    return false;
  }
}

/** Replacements for two functions if the first argument of `outer` is a call of `inner`. */
export interface CallRewrite {
  readonly outer: ImlFunction;
  readonly inner: ImlFunction;
}

interface Declared extends CallRewrite {
  /** The original inner function. */
  readonly of: ImlFunction;
}

/** By the outer function. The file of the functions declares a rewrite, so that the compiler need not load that file. */
const DECLARED = new WeakMap<ImlFunction, Declared>();

/** Calls with more arguments are not rewritten. */
export const MAX_REWRITTEN_ARGUMENTS = 3;

/** Declares a faster equivalent of `outer(inner(...), ...)`. It must have the same results and errors. */
export function declareRewrite(outer: ImlFunction, inner: ImlFunction, rewrite: CallRewrite): void {
  DECLARED.set(outer, { ...rewrite, of: inner });
}

export function findRewrite(outer: ImlFunction, inner: ImlFunction | undefined): CallRewrite | undefined {
  const declared = DECLARED.get(outer);
  return declared?.of === inner ? declared : undefined;
}

/** A path without a value at a location where a value is expected. */
export interface MissingValue {
  /** Source text of the expression. */
  readonly expression: string;
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the expression in its template. */
  readonly offset: number;
  /** `text`: an expression inside text is empty; `path`: a step before the last step of the path has no value. */
  readonly reason: 'text' | 'path';
}

/** A branch that a call of `if` chose. */
export interface Branch {
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the call in its template. */
  readonly offset: number;
  readonly isTrue: boolean;
}

/** Receives each missing value; called synchronously. */
export type MissingListener = (missing: MissingValue) => void;

/** Observes the evaluation of expressions in a scope; called synchronously. */
export interface ScopeListener {
  readonly onMissing: MissingListener;
  /** Whether to examine and report a missing value. Default: always. */
  readonly wantsMissing?: () => boolean;
  /** Receives the output of `debug(...)` and `console` in custom functions. */
  readonly onDebug?: DebugListener;
  /** Receives the branches of expressions that were compiled with `reportsBranches`. */
  readonly onBranch?: (branch: Branch) => void;
}

/**
 * Key of the listener in a scope: a symbol, so that no expression can name it. Copies of a scope written as
 * `{ ...variables, [SCOPE_LISTENER]: listener }` keep the listener.
 */
export const SCOPE_LISTENER: unique symbol = Symbol('iml.scopeListener');

/** Reports the missing values of a scope to `listener`. Modifies and returns the scope. */
export function listenForMissing<S extends Scope>(scope: S, listener: MissingListener): S {
  const value: ScopeListener = { onMissing: listener };
  return Object.defineProperty(scope, SCOPE_LISTENER, { value, enumerable: false, configurable: true });
}

export function readScopeListener(scope: Scope): ScopeListener | undefined {
  return (scope as { readonly [SCOPE_LISTENER]?: ScopeListener })[SCOPE_LISTENER];
}

const ACCEPTS_DEBUG: unique symbol = Symbol('iml.acceptsDebug');

/** Marks a function that may call `onDebug`. Its environment then has the listener of the current scope. */
export function acceptDebug(fn: ImlFunction): ImlFunction {
  return Object.defineProperty(fn, ACCEPTS_DEBUG, { value: true });
}

export function acceptsDebug(fn: ImlFunction): boolean {
  return Object.hasOwn(fn, ACCEPTS_DEBUG);
}

/** Returns an environment whose `onDebug` calls the listener of the scope, if the scope has one. */
export function environmentFor(scope: Scope, environment: Environment): Environment {
  const listener = readScopeListener(scope);
  if (listener?.onDebug === undefined) return environment;
  return { ...environment, onDebug: (output) => listener.onDebug?.(output) };
}
