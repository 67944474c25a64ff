import { isTooMuchWork, withinSteps } from '../iml/values/work.js';
import type { Deadline } from './deadline.js';

/** Steps of 25 ns, see `spend`. */
const STEPS_OF_MS = 40_000;
/** What may be done on the host for a call in any case, however little time is left. */
const STEPS_OF_CALL = 2_000_000;
/** The same while a call is tried: it goes on elsewhere. */
const STEPS_OF_ATTEMPT = 200_000;

/**
 * Runs what cannot be stopped on the host: it ends before it takes longer than the custom function has left.
 *
 * @throws what `tooLong` makes where it would, and what `run` throws
 */
export function withinTime<T>(deadline: Deadline, run: () => T, tooLong: () => Error): T {
  const isAttempt = deadline.isAttempt();
  const least = isAttempt ? STEPS_OF_ATTEMPT : STEPS_OF_CALL;
  try {
    return withinSteps(Math.max(least, deadline.left() * STEPS_OF_MS), run);
  } catch (error) {
    if (!isTooMuchWork(error)) throw error;
    if (isAttempt) deadline.giveUp();
    throw tooLong();
  }
}
