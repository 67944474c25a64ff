import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { isTurnOver, Turns } from '../../util/turns.js';
import { type Journal, openJournal, type Parts, withinSteps, withJournal } from './work.js';

/** What others on the thread put up with. */
export interface TurnRules {
  /** Steps of work without a turn for others. */
  readonly maxSteps: number;
  /** Asked at the start of each turn; throws to end the work. */
  readonly assertGoesOn: () => void;
}

/**
 * Evaluates what others have to wait for. A call that is too much at a time (`sort` of a long list) is done in turns, and the
 * evaluation is begun anew with its result. Where evaluations before it have taken all of the turn, it waits for the next one. Chance and time are drawn once, what is told is told once, and all else
 * follows from the input, so that nobody can tell.
 *
 * @returns the value itself where nobody had to wait for it
 * @throws what `evaluate` throws, `IML_LIMIT` for what is too much and cannot be done in turns; what `assertGoesOn` throws
 */
export function evaluateInTurns<T>(evaluate: () => T, rules: TurnRules): T | Promise<T> {
  return isTurnOver() ? inNextTurn(evaluate, rules) : inThisTurn(evaluate, rules);
}

async function inNextTurn<T>(evaluate: () => T, rules: TurnRules): Promise<T> {
  await new Turns(rules.assertGoesOn).next();
  return inThisTurn(evaluate, rules);
}

function inThisTurn<T>(evaluate: () => T, rules: TurnRules): T | Promise<T> {
  const journal = openJournal(isTurnOver);
  const begin = (): T => withJournal(journal, () => withinSteps(rules.maxSteps, evaluate));
  try {
    return begin();
  } catch (error) {
    if (journal.pending === undefined) throw error;
    return beginAnew(journal.pending, journal, begin, rules);
  }
}

async function beginAnew<T>(
  first: NonNullable<Journal['pending']>,
  journal: Journal,
  begin: () => T,
  rules: TurnRules,
): Promise<T> {
  const turns = new Turns(rules.assertGoesOn);
  for (let pending = first; ; ) {
    await finishPending(pending, journal, rules);
    // The evaluation may take a turn by itself.
    await turns.next();
    try {
      return begin();
    } catch (error) {
      if (journal.pending === undefined) throw error;
      pending = journal.pending;
    }
  }
}

/** Does what was left in a journal, in turns. @throws what `assertGoesOn` throws */
export async function finishPending(
  { at, parts }: NonNullable<Journal['pending']>,
  journal: Journal,
  { maxSteps, assertGoesOn }: TurnRules,
): Promise<void> {
  const turns = new Turns(assertGoesOn);
  const take = (): ReturnType<Parts<unknown>['next']> => parts.next();
  try {
    for (;;) {
      await turns.next();
      while (!turns.isOver) {
        const { done, value } = withinSteps(maxSteps, take);
        if (done !== true) continue;
        journal.done[at] = () => value;
        return;
      }
    }
  } catch (error) {
    if (!isOurs(error, ImlError)) throw error;
    // It belongs to the call, which says where it stands.
    journal.done[at] = () => {
      throw error;
    };
  }
}
