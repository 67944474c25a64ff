import type { Scope } from './environment.js';

/**
 * Key under which a scope may carry a listener for values that are missing where one was likely meant.
 * It is a symbol, so that no expression can name it.
 */
export const ON_MISSING: unique symbol = Symbol('iml.onMissing');

/** A path that led to nothing although its place suggests that a value was meant. */
export interface MissingValue {
  /** The expression as it is written. */
  readonly expression: string;
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the expression in its template. */
  readonly offset: number;
  /** `text`: a hole in a text stays empty; `path`: a step before the last one of the path found nothing. */
  readonly reason: 'text' | 'path';
}

/** Gets each value an expression asked for and the scope did not have; called synchronously. */
export type MissingListener = (missing: MissingValue) => void;

/** A scope whose missing values are reported to `listener`. The names are shared with the scope given. */
export function listenForMissing<S extends Scope>(scope: S, listener: MissingListener): S {
  return Object.defineProperty(scope, ON_MISSING, { value: listener, enumerable: false, configurable: true });
}

export function readMissingListener(scope: Scope): MissingListener | undefined {
  return (scope as { readonly [ON_MISSING]?: MissingListener })[ON_MISSING];
}
