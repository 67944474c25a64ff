import type { Directive } from '../../document/compile/compile-directive.js';
import { AppError, type AppErrorOptions, type AppErrorType } from '../../errors/app-error.js';
import { isOurs } from '../../errors/engine-error.js';
import { ImlError } from '../../errors/iml-error.js';
import { isTruthy, toText } from '../../iml/values/coerce.js';
import { finishPending, type TurnRules } from '../../iml/values/finish-pending.js';
import { describeType } from '../../iml/values/value-kind.js';
import {
  clearJournal,
  isBegunAnew,
  type Journal,
  once,
  openJournal,
  withinSteps,
  withJournal,
} from '../../iml/values/work.js';
import { redactCauses } from '../../redaction/redact-app-error.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { isTurnOver, Turns } from '../../util/turns.js';
import type { RunContext } from './run-context.js';

/**
 * The value of a directive in the scope as it is now.
 *
 * @throws AppError of type RuntimeError where the expression fails, with its place in the app
 */
export function evaluateDirective(directive: Directive | undefined, context: RunContext): unknown {
  if (directive === undefined) return undefined;
  const { observer } = context.settings;
  if (observer !== undefined) once(() => observer.onDirective(context.document, directive.pointer));
  try {
    // Not by `atOnce`: a closure for each item of a list would cost a tenth of what is evaluated.
    return withinSteps(context.settings.limits.maxSteps, directive.evaluate, context.scope);
  } catch (error) {
    // An error is cleaned of what the last answer holds, which takes long: nobody sees one of an evaluation that is begun anew.
    throw isOurs(error, ImlError) && !isBegunAnew() ? expressionError(error, directive, context) : error;
  }
}

/**
 * Does what others have to wait for, within the steps a run may take without letting them have their turn. What is done
 * inside of another such piece takes of its steps.
 *
 * @throws ImlError `IML_LIMIT` beyond them
 */
export function atOnce<T>(context: RunContext, work: () => T): T {
  return withinSteps(context.settings.limits.maxSteps, work);
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

/**
 * `evaluateInTurns` within the steps and the time of the run.
 *
 * @throws as it does
 */
export function inTurns<T>(context: RunContext, evaluate: () => T): T | Promise<T> {
  return evaluateInTurns(evaluate, rulesFor(context));
}

function rulesFor(context: RunContext): TurnRules {
  return {
    maxSteps: context.settings.limits.maxSteps,
    assertGoesOn: () => context.assertGoesOn(),
    waitFor: (work) => context.unlessOver(work),
  };
}

/**
 * Does `work` for one item after the other, in as many turns as it takes, until `work` gives false. Where the custom functions of
 * one item take longer than a turn, others have theirs between two of them, and `work` is done anew for it with what they gave: what
 * it keeps of an item it keeps last. All that is evaluated for an item shares the steps of one piece of work.
 *
 * @returns undefined where one turn did for all of them
 * @throws what `work` throws, and what `assertGoesOn` throws between two turns
 */
export function forEachItem<T>(
  items: readonly T[],
  work: (item: T) => boolean,
  context: RunContext,
): Promise<void> | undefined {
  const turns = new Turns(() => context.assertGoesOn());
  const journal = openJournal(() => turns.isOver, false);
  const { maxSteps } = context.settings.limits;
  const doTurn = (from: number): number => doUntilOver(items, from, work, { turns, journal, maxSteps });
  const next = doTurn(0);
  return next < items.length ? goOn(next, items.length, doTurn) : undefined;

  async function goOn(from: number, end: number, doNext: (from: number) => number): Promise<void> {
    for (let at = from; at < end; at = doNext(at)) {
      if (journal.pending !== undefined) await finishPending(journal.pending, journal, rulesFor(context));
      await turns.next();
    }
  }
}

/** @returns where to go on in the next turn; `items.length` where nothing is left to do */
function doUntilOver<T>(
  items: readonly T[],
  from: number,
  work: (item: T) => boolean,
  {
    turns,
    journal,
    maxSteps,
  }: { readonly turns: Turns; readonly journal: Journal; readonly maxSteps: number },
): number {
  let index = from;
  const doAll = (): number => {
    for (; index < items.length; index++) {
      if (index > from && turns.isOver) return index;
      if (!withinSteps(maxSteps, work, items[index] as T)) return items.length;
      clearJournal(journal);
    }
    return items.length;
  };
  try {
    return withJournal(journal, doAll);
  } catch (error) {
    if (journal.pending === undefined) throw error;
    return index;
  }
}

function expressionError(error: ImlError, directive: Directive, context: RunContext): AppError {
  const pointer = error.place?.pointer ?? directive.pointer;
  const place = context.document?.placeOf(pointer, error.offset) ?? { pointer };
  error.place = place;
  return runError('RuntimeError', error.message, context, { place, cause: error });
}

/** An error of this run at its present request, secrets removed from the message. */
export function runError(
  type: AppErrorType,
  message: string,
  context: RunContext,
  details: Omit<AppErrorOptions, 'requestIndex' | 'page'> = {},
): AppError {
  redactCauses(details.cause, (text) => context.clean(text));
  const { requestIndex, page } = context.position;
  return new AppError(type, context.clean(message), { requestIndex, page, ...details });
}

/** Runs a step that builds on evaluated values; what it throws gets the directive's place. */
export function atDirective<T>(
  directive: Pick<Directive, 'pointer'> | undefined,
  context: RunContext,
  step: () => T,
): T {
  try {
    return step();
  } catch (error) {
    if (!isOurs(error) || error instanceof AppError || isBegunAnew()) throw error;
    const place = directive && context.document?.placeOf(directive.pointer);
    throw runError('RuntimeError', error.message, context, { place, cause: error });
  }
}

/**
 * A directive as a yes or no. The literal text `false` is no.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
export function evaluateFlag(
  directive: Directive | undefined,
  absent: boolean,
  context: RunContext,
): boolean {
  if (directive === undefined) return absent;
  const value = evaluateDirective(directive, context);
  const isYes = value !== 'false' && isTruthy(value);
  const { observer } = context.settings;
  if (observer !== undefined) once(() => observer.onDecision(context.document, directive.pointer, isYes));
  return isYes;
}

/** A directive as text; undefined where it evaluates to nothing or to empty text. */
export function evaluateText(directive: Directive | undefined, context: RunContext): string | undefined {
  if (directive === undefined) return undefined;
  const value = evaluateDirective(directive, context);
  const text = typeof value === 'string' ? value : atDirective(directive, context, () => toText(value));
  return text || undefined;
}

/** A directive as a number; undefined where it evaluates to nothing, NaN where it is no number. */
export function evaluateNumber(directive: Directive | undefined, context: RunContext): number | undefined {
  const value = evaluateDirective(directive, context);
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/**
 * A flat object such as `headers` or `qs`, evaluated; undefined where it evaluates to nothing.
 * Names that are written but evaluate to nothing stay as undefined members, as they take the place of inherited ones.
 *
 * @throws AppError of type RuntimeError for anything but a collection
 */
export function evaluateFlatObject(
  directive: Directive | undefined,
  context: RunContext,
): PlainObject | undefined {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null || value === '') return undefined;
  if (!isPlainObject(value)) {
    const place = context.document?.placeOf(directive.pointer);
    throw runError('RuntimeError', `A collection is expected here, not ${describeType(value)}.`, context, {
      place,
    });
  }
  const { raw } = directive;
  if (!isPlainObject(raw)) return value;
  const written = Object.keys(raw).filter((name) => !name.includes('{{') && !Object.hasOwn(value, name));
  if (written.length === 0) return value;
  return { ...value, ...Object.fromEntries(written.map((name) => [name, undefined])) };
}
