import type { ImlFunction } from './environment.js';

/** Replacements for two functions if the first argument of `outer` is a call of `inner`. */
export interface CallRewrite {
  readonly outer: ImlFunction;
  readonly inner: ImlFunction;
}

interface Declared extends CallRewrite {
  /** The original inner function. */
  readonly of: ImlFunction;
}

/** By the outer function. The file of the functions declares a rewrite, so that the compiler need not load that file. */
const DECLARED = new WeakMap<ImlFunction, Declared>();

/** Calls with more arguments are not rewritten. */
export const MAX_REWRITTEN_ARGUMENTS = 3;

/** Declares a faster equivalent of `outer(inner(...), ...)`. It must have the same results and errors. */
export function declareRewrite(outer: ImlFunction, inner: ImlFunction, rewrite: CallRewrite): void {
  DECLARED.set(outer, { ...rewrite, of: inner });
}

export function findRewrite(outer: ImlFunction, inner: ImlFunction | undefined): CallRewrite | undefined {
  const declared = DECLARED.get(outer);
  return declared?.of === inner ? declared : undefined;
}
