import type { DebugListener, Environment, ImlFunction, Scope } from './environment.js';

/** A path without a value at a location where a value is expected. */
export interface MissingValue {
  /** Source text of the expression. */
  readonly expression: string;
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the expression in its template. */
  readonly offset: number;
  /** `text`: an expression inside text is empty; `path`: a step before the last step of the path has no value. */
  readonly reason: 'text' | 'path';
}

/** A branch that a call of `if` chose. */
export interface Branch {
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the call in its template. */
  readonly offset: number;
  readonly isTrue: boolean;
}

/** Receives each missing value; called synchronously. */
export type MissingListener = (missing: MissingValue) => void;

/** Observes the evaluation of expressions in a scope; called synchronously. */
export interface ScopeListener {
  readonly onMissing: MissingListener;
  /** Whether to examine and report a missing value. Default: always. */
  readonly wantsMissing?: () => boolean;
  /** Receives the output of `debug(...)` in custom functions. */
  readonly onDebug?: DebugListener;
  /** Receives the branches of expressions that were compiled with `reportsBranches`. */
  readonly onBranch?: (branch: Branch) => void;
}

/**
 * Key of the listener in a scope: a symbol, so that no expression can name it. Copies of a scope written as
 * `{ ...variables, [SCOPE_LISTENER]: listener }` keep the listener.
 */
export const SCOPE_LISTENER: unique symbol = Symbol('iml.scopeListener');

/** Reports the missing values of a scope to `listener`. Modifies and returns the scope. */
export function listenForMissing<S extends Scope>(scope: S, listener: MissingListener): S {
  const value: ScopeListener = { onMissing: listener };
  return Object.defineProperty(scope, SCOPE_LISTENER, { value, enumerable: false, configurable: true });
}

export function readScopeListener(scope: Scope): ScopeListener | undefined {
  return (scope as { readonly [SCOPE_LISTENER]?: ScopeListener })[SCOPE_LISTENER];
}

const ACCEPTS_DEBUG: unique symbol = Symbol('iml.acceptsDebug');

/** Marks a function that may call `onDebug`. Its environment then has the listener of the current scope. */
export function acceptDebug(fn: ImlFunction): ImlFunction {
  return Object.defineProperty(fn, ACCEPTS_DEBUG, { value: true });
}

export function acceptsDebug(fn: ImlFunction): boolean {
  return Object.hasOwn(fn, ACCEPTS_DEBUG);
}

/** Returns an environment whose `onDebug` calls the listener of the scope, if the scope has one. */
export function environmentFor(scope: Scope, environment: Environment): Environment {
  const listener = readScopeListener(scope);
  if (listener?.onDebug === undefined) return environment;
  return { ...environment, onDebug: (output) => listener.onDebug?.(output) };
}
