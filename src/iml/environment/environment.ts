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
