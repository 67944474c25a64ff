/**
 * Remains of a scheduler for the callers outside of `iml/` that still use it: everything runs at once.
 * This file goes with its last import.
 */

import { limitError } from '../../errors/iml-error.js';

const TOO_MUCH_WORK: WeakSet<object> = new WeakSet();

let stepsLeft: number = Number.POSITIVE_INFINITY;

export function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft >= 0) return;
  const error = limitError('This is more work at a time than limits.maxSteps allows.');
  TOO_MUCH_WORK.add(error);
  throw error;
}

export function spendOnText(text: string, stepsPerCharacter: number): void {
  spend(stepsPerCharacter * text.length);
}

export function countAffordable(steps: number): number {
  return Math.floor(Math.max(0, stepsLeft) / steps);
}

export function isTooMuchWork(error: unknown): boolean {
  return typeof error === 'object' && error !== null && TOO_MUCH_WORK.has(error);
}

export function withinSteps<T>(most: number, run: () => T): T;
export function withinSteps<T, Input>(most: number, run: (input: Input) => T, input: Input): T;
export function withinSteps<T, Input>(most: number, run: (input: Input | undefined) => T, input?: Input): T {
  const outer = stepsLeft;
  const allowed = Math.min(most, outer);
  stepsLeft = allowed;
  try {
    return run(input);
  } finally {
    stepsLeft = allowed === Number.POSITIVE_INFINITY ? outer : outer - (allowed - stepsLeft);
  }
}

export function withoutSteps<T>(run: () => T): T {
  const outer = stepsLeft;
  stepsLeft = Number.POSITIVE_INFINITY;
  try {
    return run();
  } finally {
    stepsLeft = outer;
  }
}

export type Parts<T> = Generator<undefined, T, undefined>;
export type AwaitedParts<T> = Generator<Promise<unknown> | undefined, T, undefined>;

export function finishAtOnce<T>(parts: Generator<unknown, T, undefined>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}

export interface Pending {
  readonly at: number;
  readonly parts: AwaitedParts<unknown>;
}

export interface Journal {
  readonly done: ((() => unknown) | undefined)[];
  readonly pending: Pending | undefined;
}

export const UNDONE: unique symbol = Symbol('iml.undone');

export interface LongWork<T> {
  readonly atOnce: () => T;
  readonly attempt: () => T | typeof UNDONE;
  readonly elsewhere: () => AwaitedParts<T>;
}

export function resumable<T>(atOnce: () => T, _inParts: () => Parts<T>): T {
  return atOnce();
}

export function once<T>(work: () => T): T {
  return work();
}

export function onceInTurn<T>(work: () => T): T {
  return work();
}

export function onceElsewhere<T>(work: LongWork<T>): T {
  return work.atOnce();
}

export function doInTurns(parts: () => Parts<void>): void {
  finishAtOnce(parts());
}

// biome-ignore lint/correctness/useYield: it is one part.
export function* inOnePart<T>(work: () => T): Parts<T> {
  return work();
}

export function isBegunAnew(): boolean {
  return false;
}

export function openJournal(_isTurnOver?: () => boolean, _doesParts?: boolean): Journal {
  return { done: [], pending: undefined };
}

export function clearJournal(_journal: Journal): void {}

export function withJournal<T>(_journal: Journal, evaluate: () => T): T {
  return evaluate();
}

export function goOnWithJournal<T>(_journal: Journal, evaluate: () => T): T {
  return evaluate();
}

export function rewindJournal(_journal: Journal): void {}
