import type { AppError } from '../../errors/app-error.js';
import { runError } from './evaluate-directive.js';
import type { RunContext } from './run-context.js';

/**
 * Ends the run when its time is up, or nobody wants its result any more. Exactly at the limit it may still go on.
 *
 * @throws AppError of type ModuleTimeoutError; the reason of the caller's signal once that is aborted
 * @see docs/limits.md (Time)
 */
export function assertGoesOn(context: RunContext): void {
  const { run } = context;
  run.assertWanted();
  if (run.isTimeUp) throw timeoutError(context);
}

/** Waits for something that the signal of the run may end; what is thrown then is what ended the run. */
export async function whileGoingOn<T>(work: Promise<T>, context: RunContext): Promise<T> {
  try {
    return await work;
  } catch (error) {
    assertGoesOn(context);
    throw error;
  }
}

function timeoutError(context: RunContext): AppError {
  const seconds = context.run.rules.timeoutMs / 1000;
  return runError('ModuleTimeoutError', `The module took longer than ${seconds} seconds.`, context);
}
