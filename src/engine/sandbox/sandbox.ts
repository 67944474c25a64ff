import type { FunctionTable } from '../../language/environment.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import type { SandboxLimits } from './sandbox-limits.js';

/** A custom function of an app. */
export interface SandboxFunction {
  readonly name: string;
  /** Source text; undefined if the file is missing. */
  readonly code: string | undefined;
  /** Path for messages, relative to the app's folder. */
  readonly file: string | undefined;
}

export interface SandboxOptions {
  readonly functions: readonly SandboxFunction[];
  /** Functions available as `iml.<name>`. */
  readonly builtins: FunctionTable;
  /** Additional members of `environment`: plain data. */
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

/** A warning about a function. */
export interface SandboxWarning {
  readonly code: SandboxWarningCode;
  readonly message: string;
  readonly place: SourceLocation;
}

/** The custom functions of one app. */
export interface Sandbox {
  /** Synchronous; each throws only ImlError, `IML_FUNCTION` or `IML_LIMIT`. */
  readonly functions: FunctionTable;
  readonly warnings: readonly SandboxWarning[];
  /** Frees the memory; later calls throw. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
}
