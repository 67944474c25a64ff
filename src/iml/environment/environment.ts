import { functionError } from '../../errors/iml-error.js';
import type { SourceLocation } from '../../errors/source-location.js';

/** The names an expression can see, as plain data. Keys made of digits stand for module ids. */
export type Scope = Readonly<Record<string, unknown>>;

/**
 * Which source counts where Make's runtime and its documentation contradict each other: docs/differences.md lists the
 * facts. `runtime` compares loosely with `=` and `!=`, and `split` trims the parts and drops empty ones.
 */
export type Semantics = (typeof SEMANTICS)[number];

export const SEMANTICS = ['runtime', 'documented'] as const;

/** What expressions read besides their scope. Everything that is not a pure function of its input comes in here. */
export interface Environment {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** An RFC 4122 version 4 text. */
  readonly uuid: () => string;
  /** Scenario timezone, a tz database name. */
  readonly timezone: string;
  readonly semantics: Semantics;
  /** Apps of platform version 1 see null where version 2 gives undefined. */
  readonly platformVersion: 1 | 2;
  /**
   * How `=` and `!=` compare two texts where the time it takes must not tell how alike they are: where one of them may
   * be a signature. Default: the fast way.
   */
  readonly sameText?: ((left: string, right: string) => boolean) | undefined;
  /** Digest of bytes, keyed (HMAC) if a key is given. */
  readonly digest: Digest;
  /** Gets what a custom function writes with `debug(...)`. Default: nobody does. */
  readonly onDebug?: DebugListener | undefined;
  /** Whether calls of `if` tell the listener of their scope which side they chose. Default: false. */
  readonly reportsBranches?: boolean | undefined;
}

/** A call of `debug(...)` in a custom function. */
export interface DebugOutput {
  /** Name of the custom function. */
  readonly function: string;
  readonly values: readonly unknown[];
  /** Where in its file the call stands. */
  readonly place: SourceLocation;
}

export type DebugListener = (output: DebugOutput) => void;

/** Hashes the functions of text and `jwt` ask for. */
export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';
/** Hashes `data` synchronously; with a key it makes an HMAC. Throws for an algorithm it does not have. */
export type Digest = (algorithm: DigestAlgorithm, data: Uint8Array, key?: Uint8Array) => Uint8Array;

/**
 * A built-in or custom function. It never changes its arguments and throws only `functionError(...)`
 * or `limitError(...)`; missing arguments are undefined, further ones are ignored.
 */
export type ImlFunction = (environment: Environment, ...args: unknown[]) => unknown;

/** Functions by name. Looked up by own member only, so a table needs no null prototype. */
export type FunctionTable = Readonly<Record<string, ImlFunction>>;

/** What expressions read besides their scope; every field has a default. */
export interface EnvironmentOptions {
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
  /** A number from 0 to below 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** An RFC 4122 version 4 text. Default: `crypto.randomUUID`. */
  readonly uuid?: (() => string) | undefined;
  /** Scenario timezone, a tz database name. Default: `UTC`. */
  readonly timezone?: string | undefined;
  /** `runtime` (default): as Make runs expressions; `documented`: as its documentation says. */
  readonly semantics?: Semantics | undefined;
  /** 2 (default), or 1 for apps in which a missing value shows as null. */
  readonly platformVersion?: 1 | 2 | undefined;
  /** Hashes for md5, sha1, sha256 and sha512. Default: Node's; elsewhere it has to be given. */
  readonly digest?: Environment['digest'] | undefined;
}

/** All defaults: whoever gives this object gets the same environment each time. */
export const NO_OPTIONS: EnvironmentOptions = Object.freeze({});

/** The environment that options describe, defaults filled in. */
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
 * Digests by the crypto of Node. The module is asked for when it is needed and not imported,
 * so that the language loads where there is no Node.
 *
 * @throws ImlError `IML_FUNCTION` where there is no Node
 */
export const nodeDigest: Digest = (algorithm, data, key) => {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) {
    throw functionError(`No ${algorithm} here: outside Node the option "digest" has to be given.`);
  }
  const hash = key === undefined ? crypto.createHash(algorithm) : crypto.createHmac(algorithm, key);
  return new Uint8Array(hash.update(data).digest());
};

const DEFAULT_ENVIRONMENT: Environment = Object.freeze(createEnvironment(NO_OPTIONS));

/**
 * The built-in variables, each read anew at every use.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc][app];
 * `executionId` comes from the scope of the host.
 */
const VARIABLES: ReadonlyMap<string, (environment: Environment) => unknown> = new Map([
  ['now', (environment: Environment): unknown => new Date(environment.now())],
  ['timestamp', (environment: Environment): unknown => Math.floor(environment.now() / 1000)],
  ['random', (environment: Environment): unknown => environment.random()],
  ['uuid', (environment: Environment): unknown => environment.uuid()],
  ['pi', (): unknown => Math.PI],
]);

/** The names of all built-in variables. */
export const VARIABLE_NAMES: readonly string[] = [...VARIABLES.keys()];

/** What gives the value of a built-in variable, or undefined if there is none of this name. */
export function findVariable(name: string, environment: Environment): (() => unknown) | undefined {
  const variable = VARIABLES.get(name);
  return variable && (() => variable(environment));
}
