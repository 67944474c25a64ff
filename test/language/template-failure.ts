import type { ErrorCode } from '../../src/index.js';
import { type CompileOptions, evaluate, ImlError } from '../../src/language/index.js';

/** Properties of an error that callers rely on. */
export interface Failure {
  readonly kind: ImlError['kind'];
  readonly code: ErrorCode;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** Returns the `ImlError` that a function throws. Throws for success and for any other error. */
export function imlErrorOf(run: () => unknown): ImlError {
  try {
    run();
  } catch (error) {
    if (error instanceof ImlError) return error;
    throw error;
  }
  throw new Error('No error was thrown.');
}

export function failureOf(run: () => unknown): Failure {
  const { kind, code, position } = imlErrorOf(run);
  return { kind, code, line: position?.line, column: position?.column };
}

/** Evaluates a template and returns its failure. */
export function templateFailure(
  template: unknown,
  scope: Record<string, unknown> = {},
  options: CompileOptions = {},
): Failure {
  return failureOf(() => evaluate(template, scope, options));
}
