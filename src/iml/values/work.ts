import { isOurs } from '../../errors/engine-error.js';
import { ImlError, limitError } from '../../errors/iml-error.js';

/**
 * Steps the work under way may still take. Expressions are evaluated without a pause, so that one number does for all of
 * them; between two pieces of work it is Infinity. In a variable each change of such a number would be an object more.
 */
const STEPS_LEFT: Float64Array = new Float64Array([Number.POSITIVE_INFINITY]);

function readStepsLeft(): number {
  return STEPS_LEFT[0] ?? 0;
}

/**
 * Counts work before it is done. A step is what takes some 25 ns: half a look at an item of a list, ten characters that
 * are copied, a quarter of a character that is taken apart.
 *
 * @throws ImlError `IML_LIMIT` where `withinSteps` allowed less
 */
export function spend(steps: number): void {
  const left = readStepsLeft() - steps;
  STEPS_LEFT[0] = left;
  if (left < 0) throw tooMuchWork();
}

/** The host keeps a text with one of these in twice the memory, and takes twice as long to read or write it. */
const WIDE = /[^\0-\xff]/;

/** Counts work on each character of a text as JSON. @throws as `spend` */
export function spendOnText(text: string, stepsPerCharacter: number): void {
  spend(stepsPerCharacter * text.length * (WIDE.test(text) ? 2 : 1));
}

/** How many things may still be done that take so many steps each; more than there is time to count where nothing is counted. */
export function countAffordable(steps: number): number {
  return Math.floor(Math.max(0, readStepsLeft()) / steps);
}

const TOO_MUCH_WORK: WeakSet<object> = new WeakSet();

/** Whether something ended as `withinSteps` allowed no more. */
export function isTooMuchWork(error: unknown): boolean {
  return typeof error === 'object' && error !== null && TOO_MUCH_WORK.has(error);
}

function tooMuchWork(): Error {
  const error = limitError('This is more work at a time than limits.maxSteps allows.');
  TOO_MUCH_WORK.add(error);
  error.hint =
    'Others on the thread would wait for it. Take less data, or raise the limit where nobody does.';
  return error;
}

/**
 * Runs what must not take more steps than this. What is run inside of something else takes of its steps, too.
 *
 * @throws ImlError `IML_LIMIT` beyond it, and what `run` throws
 */
export function withinSteps<T>(most: number, run: () => T): T;
export function withinSteps<T, Input>(most: number, run: (input: Input) => T, input: Input): T;
export function withinSteps<T, Input>(most: number, run: (input: Input | undefined) => T, input?: Input): T {
  const outer = readStepsLeft();
  const allowed = Math.min(most, outer);
  STEPS_LEFT[0] = allowed;
  try {
    return run(input);
  } finally {
    // Infinity less Infinity is no number.
    STEPS_LEFT[0] = allowed === Number.POSITIVE_INFINITY ? outer : outer - (allowed - readStepsLeft());
  }
}

/** Runs what has a bound of its own: its steps are not counted. */
export function withoutSteps<T>(run: () => T): T {
  const outer = readStepsLeft();
  STEPS_LEFT[0] = Number.POSITIVE_INFINITY;
  try {
    return run();
  } finally {
    STEPS_LEFT[0] = outer;
  }
}

/** Work that is done a part at a time; between two parts others may have their turn. */
export type Parts<T> = Generator<undefined, T, undefined>;

/** Does all parts of a piece of work without a turn for anybody. @throws what they end with */
export function finishAtOnce<T>(parts: Generator<unknown, T, undefined>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

/** As `Parts`, some of which give what is waited for before the next. */
export type AwaitedParts<T> = Generator<Promise<unknown> | undefined, T, undefined>;

/** What was too much work at a time, and which piece of work of the evaluation it is. */
export interface Pending {
  readonly at: number;
  readonly parts: AwaitedParts<unknown>;
}

/**
 * What an evaluation that is begun anew does not do again, as it was done by the one before or by others for it: what takes
 * turns, and what would come out differently or would be seen twice. All else follows from the input, so that the
 * pieces of work have the same order each time.
 */
export interface Journal {
  /** Gives what a piece of work gave, or throws its error; empty for one that is not done. */
  readonly done: ((() => unknown) | undefined)[];
  /** The piece behind one that is done and was made of several. */
  behind: Map<number, number> | undefined;
  /** Pieces since the evaluation began. */
  at: number;
  pending: Pending | undefined;
  /** Whether others should have their turn before more is done that takes long. */
  readonly isTurnOver: () => boolean;
  /** Whether what is too much at a time is done in parts. Otherwise only what takes long by itself waits for its turn. */
  readonly doesParts: boolean;
}

/** That of the evaluation under way, where it may be begun anew. */
let journal: Journal | undefined;

/** What is done at once of what may be done in parts: some 5 ms. Others wait for the rest of its evaluation as well. */
const STEPS_AT_ONCE = 200_000;

/**
 * Does at once what is not too much at a time. Where it is, and the evaluation may be begun anew, its parts are left in the
 * journal for whoever does them; the evaluation after that finds the result.
 *
 * @throws ImlError `IML_LIMIT` for what is too much, what `atOnce` throws, and what the parts ended with
 */
export function resumable<T>(atOnce: () => T, inParts: () => Parts<T>): T {
  if (journal === undefined || !journal.doesParts) return atOnce();
  const at = journal.at++;
  const known = journal.done[at];
  // A piece gives results of one type.
  if (known !== undefined) return known() as T;
  try {
    return withinSteps(STEPS_AT_ONCE, atOnce);
  } catch (error) {
    if (isOurs(error, ImlError) && error.code === 'IML_LIMIT') journal.pending ??= { at, parts: inParts() };
    throw error;
  }
}

/**
 * Does what must be done once, however often the evaluation is begun anew: draws chance, asks for the time, tells others.
 *
 * @returns what it gave then
 */
export function once<T>(work: () => T): T {
  const own = journal;
  if (own === undefined) return work();
  const at = own.at++;
  const known = own.done[at];
  if (known !== undefined) {
    own.at = own.behind?.get(at) ?? own.at;
    return known() as T;
  }
  const result = work();
  own.done[at] = () => result;
  if (own.at > at + 1) {
    own.behind ??= new Map();
    own.behind.set(at, own.at);
  }
  return result;
}

/**
 * `once` for what takes as long as it likes, a custom function: where the turn is over by then, it is left in the journal for one of its
 * own. It is one piece, whatever it is made of: its author could catch what a built-in throws that is to be done in parts.
 *
 * @throws ImlError `IML_LIMIT` where it is left
 */
export function onceInTurn<T>(work: () => T): T {
  const own = journal;
  if (own === undefined) return work();
  const at = own.at++;
  const known = own.done[at];
  if (known !== undefined) return known() as T;
  if (!own.isTurnOver()) return doOnce(own, at, work) as T;
  own.pending ??= { at, parts: inOnePart(work) };
  throw tooMuchWork();
}

/** Does what is one piece for a journal; what it throws is done as well: whoever goes on behind it would do it again. */
function doOnce<T>(own: Journal, at: number, work: () => T | typeof UNDONE): T | typeof UNDONE {
  try {
    const result = withoutJournal(work);
    if (result !== UNDONE) own.done[at] = () => result;
    return result;
  } catch (error) {
    own.done[at] = () => {
      throw error;
    };
    throw error;
  }
}

/** Gives what an attempt gives that was ended. */
export const UNDONE: unique symbol = Symbol('iml.undone');

/** Work that takes as long as it likes and can be done elsewhere: a custom function. */
export interface LongWork<T> {
  /** All of it: others wait. */
  readonly atOnce: () => T;
  /** All of it within what others put up with, or nothing: it leaves no trace of itself then. */
  readonly attempt: () => T | typeof UNDONE;
  /** What an attempt has not done. */
  readonly elsewhere: () => AwaitedParts<T>;
}

/**
 * `onceInTurn` for what others need not wait for: where it takes longer than they put up with, it is left in the journal, to be done elsewhere.
 *
 * @throws ImlError `IML_LIMIT` where it is left
 */
export function onceElsewhere<T>(work: LongWork<T>): T {
  const own = journal;
  if (own === undefined) return work.atOnce();
  const at = own.at++;
  const known = own.done[at];
  if (known !== undefined) return known() as T;
  const isTurnOver = own.isTurnOver();
  if (!isTurnOver) {
    const result = doOnce(own, at, work.attempt);
    if (result !== UNDONE) return result;
  }
  own.pending ??= { at, parts: isTurnOver ? attemptFirst(work) : work.elsewhere() };
  throw tooMuchWork();
}

function* attemptFirst<T>(work: LongWork<T>): AwaitedParts<T> {
  const result = work.attempt();
  return result === UNDONE ? yield* work.elsewhere() : result;
}

function withoutJournal<T>(run: () => T): T {
  const own = journal;
  journal = undefined;
  try {
    return run();
  } finally {
    journal = own;
  }
}

/**
 * Does what others would have to wait for. Where the evaluation may be begun anew its parts are left in the journal, once.
 *
 * @throws ImlError `IML_LIMIT` for parts that are left
 */
export function doInTurns(parts: () => Parts<void>): void {
  const own = journal;
  if (own === undefined) return finishAtOnce(parts());
  const at = own.at++;
  const known = own.done[at];
  if (known !== undefined) return void known();
  own.pending ??= { at, parts: parts() };
  throw tooMuchWork();
}

/** What is done at once where parts are asked for. */
// biome-ignore lint/correctness/useYield: it is one part.
export function* inOnePart<T>(work: () => T): Parts<T> {
  return work();
}

/** Whether the evaluation under way is to be begun anew: what it throws is no failure of anything. */
export function isBegunAnew(): boolean {
  return journal?.pending !== undefined;
}

/** @param isTurnOver default: never; @param doesParts default: it does */
export function openJournal(isTurnOver: () => boolean = () => false, doesParts = true): Journal {
  return { done: [], behind: undefined, at: 0, pending: undefined, isTurnOver, doesParts };
}

/** Before an evaluation that is done in pieces, with `goOnWithJournal` for each, from the first piece on. */
export function rewindJournal(own: Journal): void {
  own.at = 0;
  own.pending = undefined;
}

/** For the next evaluation, which has nothing to do with the one before. */
export function clearJournal(own: Journal): void {
  if (own.done.length > 0) own.done.length = 0;
  own.behind = undefined;
  own.at = 0;
}

/** Evaluates with a journal: from the first piece on, with what is done by then. */
export function withJournal<T>(own: Journal, evaluate: () => T): T {
  rewindJournal(own);
  return goOnWithJournal(own, evaluate);
}

/** Does one more piece of an evaluation that goes on from where the last one ended. */
export function goOnWithJournal<T>(own: Journal, evaluate: () => T): T {
  const outer = journal;
  journal = own;
  try {
    return evaluate();
  } finally {
    journal = outer;
  }
}
