import { isEngineError } from '../errors/engine-error.js';
import { collectSecrets } from '../redaction/collect-secrets.js';

/**
 * Does work on values of an embedder's.
 *
 * @param values those that the work reads, whatever else it does
 * @returns what the work gives; rejects with ImlError (IML_HOST_VALUE) where it failed and one of them throws while it is read
 */
export async function readingValues<T>(values: () => readonly unknown[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw findUnreadable(error, values);
  }
}

/**
 * What something ends with: where a value of an embedder's throws while it is read, that. It does so again when it is looked at.
 *
 * @returns `thrown`, or ImlError (IML_HOST_VALUE)
 */
export function findUnreadable(thrown: unknown, values: () => readonly unknown[]): unknown {
  if (isEngineError(thrown)) return thrown;
  try {
    collectSecrets(...values());
    return thrown;
  } catch (error) {
    return isEngineError(error) && error.code === 'IML_HOST_VALUE' ? error : thrown;
  }
}
