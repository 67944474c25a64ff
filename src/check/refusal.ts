import { EngineError } from '../errors/engine-error.js';
import type { SourceLocation } from '../errors/source-location.js';
import type { Finding } from './finding.js';

/** What a promise gives, or the error of ours it rejects with. */
export async function orError<T>(work: Promise<T>): Promise<T | EngineError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

/** The finding that an error is. */
export function createRefusal(rule: string, error: EngineError): Finding {
  return { rule, level: 'error', message: error.message, place: readPlace(error) };
}

function readPlace(error: EngineError): SourceLocation {
  return 'place' in error && typeof error.place === 'object' && error.place !== null
    ? (error.place as SourceLocation)
    : {};
}
