import { EngineError } from '../errors/engine-error.js';
import type { SourceLocation } from '../errors/source-location.js';
import type { Finding } from './finding.js';

/** The result of a promise, or the EngineError it rejects with. */
export async function orError<T>(work: Promise<T>): Promise<T | EngineError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

/** The diagnostic for an error. */
export function createRefusal(rule: string, error: EngineError): Finding {
  return { rule, level: 'error', message: error.message, place: readPlace(error) };
}

function readPlace(error: EngineError): SourceLocation {
  return 'place' in error && typeof error.place === 'object' && error.place !== null
    ? (error.place as SourceLocation)
    : {};
}
