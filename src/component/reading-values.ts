import { isEngineError } from '../errors/engine-error.js';
import { collectSecrets } from '../redaction/collect-secrets.js';

/**
 * Runs work that reads values of the embedder.
 *
 * @param values values that the work reads
 * @returns the result; rejects with ImlError (IML_HOST_VALUE) if the work failed and one of the values throws while it
 * is read
 */
export async function readingValues<T>(values: () => readonly unknown[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw findUnreadable(error, values);
  }
}

/**
 * Replaces an error that a value of the embedder caused: reads the values again to find one that throws.
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
