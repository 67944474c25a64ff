import { EngineError } from '../errors/engine-error.js';

/** A command line that cannot be carried out. The process ends with 2. */
export function usageError(message: string, cause?: unknown): EngineError {
  return new EngineError('USAGE', message, { cause });
}
