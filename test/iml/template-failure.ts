import type { ErrorCode } from '../../src/errors/codes.js';
import { ImlError, type ImlErrorKind } from '../../src/errors/iml-error.js';
import { type CompileOptions, evaluate } from '../../src/iml/compile.js';

/** What of an error callers rely on; the wording is compared where it is the platform's. */
export interface Failure {
  readonly kind: ImlErrorKind;
  readonly code: ErrorCode;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** The error a run ends with. Anything but an `ImlError` is thrown on, and so is success. */
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

/** How evaluating a template fails. */
export function templateFailure(
  template: unknown,
  scope: Record<string, unknown> = {},
  options: CompileOptions = {},
): Failure {
  return failureOf(() => evaluate(template, scope, options));
}
