import { AppError } from '../../shared/errors/app-error.js';
import { EngineError } from '../../shared/errors/engine-error.js';

/** The error of an invalid command line; exit code 2. */
export function usageError(message: string, cause?: unknown): EngineError {
  return new EngineError('USAGE', message, { cause });
}

/** A command line that names an unknown connection. The process ends with 2, as for any wrong command line. */
export function missingConnection(name: string, hint: string): EngineError {
  const message = `There is no connection "${name}".${hint} iml connections list shows all.`;
  return new EngineError('CONNECTION_MISSING', message);
}

/** Whether a mistake on the command line caused the error; an AppError comes from a run. */
export function isUsageError(error: EngineError): boolean {
  if (error instanceof AppError) return false;
  return error.code === 'USAGE' || error.code === 'CONNECTION_MISSING';
}
