import type { FunctionTable } from '../../language/environment.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';

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
   * Monotonic milliseconds, for the time limit only. Default: the real clock, because a fixed clock would never stop
   * an endless loop. `Date` in the guest reads `now` of the call's environment.
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
/**
 * Limits of custom functions. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/iml-functions.
 */
export interface SandboxLimits {
  /** Of one call, including nested calls. */
  readonly timeMs: number;
  /** Of all values in the sandbox of an app. */
  readonly memoryBytes: number;
  readonly stackBytes: number;
  /** UTF-16 units of one function's code; more is a warning. */
  readonly maxCodeLength: number;
}

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = Object.freeze({
  timeMs: 10_000,
  memoryBytes: 32 * 1024 * 1024,
  stackBytes: 256 * 1024,
  maxCodeLength: 5000,
});

/**
 * UTF-16 units of one function's code that are compiled: QuickJS compiles a file without a pause, twice, in some 0.3 ms for 1000
 * of ordinary code each time. Files of published apps hold less than 50,000. [choice]
 */
export const MAX_COMPILED_LENGTH: number = 64 * 1024;

/** Maximum size of a value at the border, which exists several times meanwhile. */
export function readMaxTransfer({ memoryBytes }: Pick<SandboxLimits, 'memoryBytes'>): number {
  return Math.floor(memoryBytes / 4);
}

/** Deadline of the current call. QuickJS checks it between byte codes, the host at each built-in call. */
export interface Deadline {
  readonly start: (timeMs: number) => void;
  /** Whether the time is over; stays true until the next `start`. */
  readonly isOver: () => boolean;
}

/**
 * Creates a deadline that is never over before its first `start`.
 *
 * @param clock monotonic milliseconds
 */
export function createDeadline(clock: { readonly now: () => number }): Deadline {
  let endMs = Number.POSITIVE_INFINITY;
  let isOver = false;
  return {
    start: (timeMs) => {
      endMs = clock.now() + timeMs;
      isOver = false;
    },
    isOver: () => {
      isOver ||= clock.now() > endMs;
      return isOver;
    },
  };
}

/** Methods of `console` in custom functions, which report to the trace like `debug`. Apps call them. [app] */
export const CONSOLE_METHODS: readonly string[] = [
  'log',
  'info',
  'warn',
  'error',
  'debug',
  'trace',
  'dir',
  'table',
];

/** Built-in functions that custom functions can call without `iml.`, as in Make. [rt] */
export const GLOBAL_FUNCTIONS: readonly string[] = [
  'cryptoSign',
  'dateDiff',
  'errorFactory',
  'generateJwtWithKeyId',
  'pop',
  'shift',
];
