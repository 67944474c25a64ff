import type { ImlFunction } from './environment.js';

/** What stands for two functions where the one is called with what the other gave. */
export interface CallRewrite {
  readonly outer: ImlFunction;
  readonly inner: ImlFunction;
}

interface Declared extends CallRewrite {
  /** The inner function that it is about. */
  readonly of: ImlFunction;
}

/** By the outer function. Whoever has the functions declares them, so that the compiler need not load what no template calls. */
const DECLARED = new WeakMap<ImlFunction, Declared>();

/** Calls with more arguments are compiled as they are written. */
export const MAX_REWRITTEN_ARGUMENTS = 3;

/** Says that `outer(inner(...), ...)` gives the same, errors included, with less in between. */
export function declareRewrite(outer: ImlFunction, inner: ImlFunction, rewrite: CallRewrite): void {
  DECLARED.set(outer, { ...rewrite, of: inner });
}

export function findRewrite(outer: ImlFunction, inner: ImlFunction | undefined): CallRewrite | undefined {
  const declared = DECLARED.get(outer);
  return declared?.of === inner ? declared : undefined;
}
