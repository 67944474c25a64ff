/** Ceilings of author's code. Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. */
export interface SandboxLimits {
  /** Of one call, with everything it calls. */
  readonly timeMs: number;
  /** Of all values of one app's guest. */
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

/** What a file may take to be compiled, on a busy machine too. */
export const COMPILE_MS: number = 10_000;
