import { EngineError } from '../errors/engine-error.js';

/** The error of an invalid command line; exit code 2. */
export function usageError(message: string, cause?: unknown): EngineError {
  return new EngineError('USAGE', message, { cause });
}
