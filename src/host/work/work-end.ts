import { reactionTo } from '../../scenario/error-reactions.js';
import type { Transition } from '../../scenario/next-state.js';
import type { RunOutcome } from '../../scenario/scenario-state.js';

/** Result for the input of a run. */
export type WorkEnd =
  /** Completed. */
  | 'done'
  /** Failed and waits for a person. */
  | 'dead'
  /** Returns to its queue and is retried when the scenario continues. */
  | 'again';

/** Errors of the connection. The event continues after the scenario is activated again. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'InvalidConfigurationError',
  'InvalidAccessTokenError',
]);

/**
 * Returns an event to its queue after an error that it did not cause: rate limit, unavailable API, invalid
 * credentials. Other errors would recur, so the event becomes dead and waits for a replay. Source:
 * https://help.make.com/webhooks: on a failed run the item goes back. [doc] Which errors: [inf]
 */
export function resolveEnd(outcome: RunOutcome, transition: Transition): WorkEnd {
  if (outcome.kind === 'rollback') return 'dead';
  // Stored or ignored errors do not affect the event.
  if (outcome.kind !== 'error' || transition.stored !== undefined || transition.isDiscarded) return 'done';
  const { kind } = reactionTo(outcome.type);
  if (kind === 'suspend' || OF_THE_CONNECTION.has(outcome.type)) return 'again';
  return kind === 'retry' && transition.state.kind !== 'inactive' ? 'again' : 'dead';
}
