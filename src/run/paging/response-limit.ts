import type { CompiledResponse } from '../../document/compile/compiled-request.js';
import { evaluateNumber, runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';

/**
 * `response.limit` as a number of records; undefined where nothing limits them.
 *
 * @throws AppError of type InvalidConfigurationError for less than 1 and for what is no number
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/limit
 */
export function evaluateLimit(spec: CompiledResponse, context: RunContext): number | undefined {
  const limit = evaluateNumber(spec.limit, context);
  if (limit === undefined) return undefined;
  if (limit >= 1) return Math.floor(limit);
  const place = spec.limit && context.document?.placeOf(spec.limit.pointer);
  const message = Number.isNaN(limit)
    ? 'The limit is not a number.'
    : `The limit has to be at least 1, not ${limit}.`;
  throw runError('InvalidConfigurationError', message, context, { place });
}
