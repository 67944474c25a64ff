import { functionError } from '../../shared/errors/iml-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';

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
  /** Receives the output of `debug(...)` in custom functions. Default: the output is dropped. */
  readonly onDebug?: DebugListener | undefined;
  /** Whether calls of `if` report the chosen branch to the listener of their scope. Default: false. */
  readonly reportsBranches?: boolean | undefined;
}

/** A call of `debug(...)` in a custom function. */
export interface DebugOutput {
  /** Name of the custom function. */
  readonly function: string;
  readonly values: readonly unknown[];
  /** Location of the call in the file of the function. */
  readonly place: SourceLocation;
}

export type DebugListener = (output: DebugOutput) => void;

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
