import type { CompiledRepeat } from '../../document/compile/compiled-request.js';
import { LONGEST_TIMER_MS } from '../../util/longest-timer.js';
import { evaluateFlag, evaluateNumber, inTurns, runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';

/**
 * Decides whether a request is sent again, and waits if so.
 * `limit` counts the repeats after the first call; the limits of the module end them, too, with a warning.
 *
 * @param repeats how often the request was repeated so far
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (repeat)
 */
export async function waitForRepeat(
  repeat: CompiledRepeat,
  repeats: number,
  context: RunContext,
): Promise<boolean> {
  if (!(await inTurns(context, () => evaluateFlag(repeat.condition, false, context)))) return false;
  const { settings } = context;
  const place = context.document?.placeOf('/repeat');
  const { limit, delay } = await inTurns(context, () => readRepeat(repeat, context));
  if (repeats >= limit) {
    context.warn({
      code: 'repeat-limit',
      message: `The condition still holds after ${repeats} repeats.`,
      place,
    });
    return false;
  }
  if (context.counters.requests >= settings.limits.maxRequests) {
    const message = `Repeating ended at the limit of ${settings.limits.maxRequests} requests.`;
    context.warn({ code: 'limit-reached', message, place });
    return false;
  }
  const delayMs = Math.min(Math.max(0, delay), LONGEST_TIMER_MS);
  context.emit({ kind: 'wait', delayMs, reason: 'repeat', repeats, place });
  await context.whileGoingOn(settings.clock.sleep(delayMs, context.signal));
  return true;
}

/**
 * `repeat.limit` and `repeat.delay` (milliseconds) as numbers. Default: no limit, no delay.
 *
 * @throws AppError of type RuntimeError for what is no number
 */
export function readRepeat(
  repeat: CompiledRepeat,
  context: RunContext,
): { readonly limit: number; readonly delay: number } {
  const limit = evaluateNumber(repeat.limit, context) ?? Number.POSITIVE_INFINITY;
  const delay = evaluateNumber(repeat.delay, context) ?? 0;
  if (!Number.isNaN(limit) && !Number.isNaN(delay)) return { limit, delay };
  const place = context.document?.placeOf('/repeat');
  throw runError('RuntimeError', 'repeat.limit and repeat.delay have to be numbers.', context, { place });
}
