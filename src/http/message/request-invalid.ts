import { TransportError } from '../../errors/engine-error.js';

/** The error of a request that cannot be built; the same request will never do better. */
export function requestInvalid(message: string, cause?: unknown): TransportError {
  return new TransportError('REQUEST_INVALID', message, { retryable: false, cause });
}
