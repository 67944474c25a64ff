import { TransportError } from '../../errors/transport-error.js';

/** The error of a request that cannot be built; the same request will never do better. */
export function requestInvalid(message: string, cause?: unknown): TransportError {
  return new TransportError('REQUEST_INVALID', message, { retryable: false, cause });
}

/** Runs a step that builds on one member of `qs`, `headers` or `body`; its failure names that member. */
export function atMember<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof TransportError) error.member ??= name;
    throw error;
  }
}
