import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { Turns } from '../../util/turns.js';
import { type AwaitedParts, type Journal, type Pending, withinSteps } from './work.js';

/** What others on the thread put up with. */
export interface TurnRules {
  /** Steps of work without a turn for others. */
  readonly maxSteps: number;
  /** Asked at the start of each turn; throws to end the work. */
  readonly assertGoesOn: () => void;
  /** Waits for what is done elsewhere, no longer than the work goes on; rejects with what ends it. */
  readonly waitFor: (work: Promise<unknown>) => Promise<unknown>;
}

/**
 * Does what was left in a journal, in turns.
 *
 * @throws what `assertGoesOn` and `waitFor` throw; what is done elsewhere is given up then
 */
export async function finishPending(
  { at, parts }: Pending,
  journal: Journal,
  { maxSteps, assertGoesOn, waitFor }: TurnRules,
): Promise<void> {
  const turns = new Turns(assertGoesOn);
  const take = (): ReturnType<AwaitedParts<unknown>['next']> => parts.next();
  try {
    for (;;) {
      await turns.next();
      while (!turns.isOver) {
        const { done, value } = withinSteps(maxSteps, take);
        if (done === true) {
          journal.done[at] = () => value;
          return;
        }
        if (value !== undefined) await waitFor(value);
      }
    }
  } catch (error) {
    if (!isOurs(error, ImlError)) throw error;
    // It belongs to the call, which says where it stands.
    journal.done[at] = () => {
      throw error;
    };
  } finally {
    parts.return(undefined);
  }
}
