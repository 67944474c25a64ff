import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { collectGiven } from '../../redaction/collect-secrets.js';
import { runError } from './evaluate-directive.js';
import type { RunContext } from './run-context.js';

/**
 * Adds all texts of data to the secrets of a run.
 *
 * @throws AppError of type RuntimeError for more secrets than a run can keep
 */
export function learnGiven(data: unknown, context: RunContext): void {
  try {
    context.run.log.collect(collectGiven(data));
  } catch (error) {
    throw isOurs(error, ImlError)
      ? runError('RuntimeError', error.message, context, { cause: error })
      : error;
  }
}
