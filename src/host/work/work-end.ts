import { reactionTo } from '../../scenario/state/error-reactions.js';
import type { Transition } from '../../scenario/state/next-state.js';
import type { RunOutcome } from '../../scenario/state/scenario-state.js';

/** What becomes of the thing a run worked on. */
export type WorkEnd =
  /** It is through. */
  | 'done'
  /** It failed and waits for a person. */
  | 'dead'
  /** It goes back to its queue and is tried again when the scenario goes on. */
  | 'again';

/** Errors that somebody mends outside of the event; it goes on once the scenario is turned on again. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'InvalidConfigurationError',
  'InvalidAccessTokenError',
]);

/**
 * An event goes back to its queue after an error that is not its own: the rate limit, a service that is away, lost
 * credentials. Any other error would meet it again; it is put aside as dead, with the error, for a person to replay.
 * Source: https://help.make.com/webhooks: on a failed run the item goes back. [doc] Which errors: [inf]
 */
export function resolveEnd(outcome: RunOutcome, transition: Transition): WorkEnd {
  if (outcome.kind === 'rollback') return 'dead';
  // What was stored as an incomplete execution, or dropped as the settings allow, is no longer the event's matter.
  if (outcome.kind !== 'error' || transition.stored !== undefined || transition.isDiscarded) return 'done';
  const { kind } = reactionTo(outcome.type);
  if (kind === 'suspend' || OF_THE_CONNECTION.has(outcome.type)) return 'again';
  return kind === 'retry' && transition.state.kind !== 'inactive' ? 'again' : 'dead';
}
