import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { collectGiven } from '../../redaction/collect-secrets.js';
import { runError } from './evaluate-directive.js';
import type { RunContext } from './run-context.js';

/**
 * Knows from here on what data of a service or of the app hide, in turns where it is much.
 *
 * @throws AppError of type RuntimeError for more than can be kept from being shown
 */
export async function learnGiven(data: unknown, context: RunContext): Promise<void> {
  try {
    context.run.log.learn(await collectGiven(data));
  } catch (error) {
    throw isOurs(error, ImlError)
      ? runError('RuntimeError', error.message, context, { cause: error })
      : error;
  }
}
