import type { SourceLocation } from '../errors/source-location.js';
import type { FunctionTable } from '../iml/environment/environment.js';
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
  /** The WebAssembly of QuickJS. Default: the file of the package. */
  readonly wasm?: Uint8Array | undefined;
  /**
   * Monotonic milliseconds, for the time limit alone. The default is the real one: a clock that stands still
   * would never stop an endless loop. What the guest's `Date` reads is the `now` of the call's environment.
   */
  readonly clock?: { readonly now: () => number } | undefined;
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
  readonly place: SourceLocation;
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
