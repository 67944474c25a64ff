import type { AppError } from '../../errors/app-error.js';
import type { CompiledStep } from './compile-flow.js';
import type { ErrorHandler } from './flow.js';
import { evaluateTemplate, type Outputs } from './run-step.js';

/** What becomes of a bundle whose module failed. */
export type Handling =
  /** Nobody handles it; `error` is that of a handler where it failed itself. */
  | { readonly kind: 'unhandled'; readonly error: AppError }
  /** The bundle ends here. */
  | { readonly kind: 'ignore' }
  /** The bundle goes on with an output of the handler's. */
  | { readonly kind: 'resume'; readonly output: unknown }
  /** The run ends. */
  | { readonly kind: 'commit' | 'rollback' }
  /** The rest of the run is stored for this bundle. */
  | { readonly kind: 'break'; readonly handler: ErrorHandler & { readonly kind: 'break' } };

/** The error handler of a step that takes an error: its own, unless it stores and nothing can be stored. */
export function findHandler(
  { step: { onError } }: CompiledStep,
  canStore: boolean,
): ErrorHandler | undefined {
  return onError?.kind === 'break' && !canStore ? undefined : onError;
}

/** What a step failed with, and on what. */
export interface FailedStep {
  readonly outputs: Outputs;
  readonly error: AppError;
}

/** What a handler makes of an error. Source: https://help.make.com/quick-error-handling-reference. [doc] */
export function handleError(
  handler: ErrorHandler | undefined,
  { resume }: CompiledStep,
  { outputs, error }: FailedStep,
): Handling {
  if (handler === undefined) return { kind: 'unhandled', error };
  switch (handler.kind) {
    case 'resume': {
      const output = resume === undefined ? { value: undefined } : evaluateTemplate(resume, outputs);
      return 'error' in output
        ? { kind: 'unhandled', error: output.error }
        : { kind: 'resume', output: output.value };
    }
    case 'break':
      return { kind: 'break', handler };
    default:
      return { kind: handler.kind };
  }
}
