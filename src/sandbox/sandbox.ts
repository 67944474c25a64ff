import type { Place } from '../errors/place.js';
import type { FunctionTable } from '../iml/environment/environment.js';
import type { Turns } from '../util/turns.js';
import type { SandboxLimits } from './sandbox-limits.js';

/** A custom function as its author wrote it. */
export interface SandboxFunction {
  readonly name: string;
  /** Source text; undefined where the file is absent. */
  readonly code: string | undefined;
  /** Path for messages, relative to the app's folder. */
  readonly file: string | undefined;
}

export interface SandboxOptions {
  readonly functions: readonly SandboxFunction[];
  /** What the guest reaches as `iml.<name>`. */
  readonly builtins: FunctionTable;
  /** Further members of the guest's `environment`, beside `timezone`: plain data. */
  readonly environment?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: Partial<SandboxLimits> | undefined;
  /**
   * Monotonic milliseconds, for the time limit alone. The default is the real one: a clock that stands still
   * would never stop an endless loop. What the guest's `Date` reads is the `now` of the call's environment.
   */
  readonly clock?: { readonly now: () => number } | undefined;
  /** Default: all calls are made on the thread of their caller, however long they take. */
  readonly thread?: SandboxThread | undefined;
  /** Those a sandbox is opened in. Default: of its own. */
  readonly turns?: Turns | undefined;
}

/** Where calls go on that take others long. */
export interface SandboxThread {
  /** A module that calls `serveCalls` with the same `builtins`. */
  readonly entry: URL;
  /** Milliseconds that a call may take on the thread of its caller; it is done again elsewhere where it takes longer, or where this is 0. */
  readonly attemptMs: number;
}

export type SandboxWarningCode =
  | 'syntax'
  | 'missing-file'
  | 'code-too-long'
  | 'function-name'
  | 'function-replaced';

/** Something about a function that does not stop the app from loading. */
export interface SandboxWarning {
  readonly code: SandboxWarningCode;
  readonly message: string;
  readonly place: Place;
}

/** The custom functions of one app, ready to be called from expressions. */
export interface Sandbox {
  /** Synchronous; each throws only ImlError, `IML_FUNCTION` or `IML_LIMIT`. */
  readonly functions: FunctionTable;
  readonly warnings: readonly SandboxWarning[];
  /** Gives the memory back; functions called later throw. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
}
