import type { DebugListener, Environment, ImlFunction, Scope } from './environment.js';

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

/** A call of `if` that chose a side. */
export interface Branch {
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the call in its template. */
  readonly offset: number;
  readonly isYes: boolean;
}

/** Gets each value an expression asked for and the scope did not have; called synchronously. */
export type MissingListener = (missing: MissingValue) => void;

/** Told what happens while expressions are evaluated in a scope; called synchronously. */
export interface ScopeListener {
  readonly onMissing: MissingListener;
  /** Asked before a missing value is looked into. Default: all are told. */
  readonly wantsMissing?: () => boolean;
  /** Gets what custom functions write with `debug(...)`. */
  readonly onDebug?: DebugListener;
  /** Told by expressions that were compiled with `reportsBranches`. */
  readonly onBranch?: (branch: Branch) => void;
}

/**
 * Key under which a scope may carry its listener. It is a symbol, so that no expression can name it. Who writes it into a
 * literal, `{ ...names, [SCOPE_LISTENER]: listener }`, makes a scope whose copies have the listener, too.
 */
export const SCOPE_LISTENER: unique symbol = Symbol('iml.scopeListener');

/** A scope whose missing values are reported to `listener`. The names are shared with the scope given. */
export function listenForMissing<S extends Scope>(scope: S, listener: MissingListener): S {
  const value: ScopeListener = { onMissing: listener };
  return Object.defineProperty(scope, SCOPE_LISTENER, { value, enumerable: false, configurable: true });
}

export function readScopeListener(scope: Scope): ScopeListener | undefined {
  return (scope as { readonly [SCOPE_LISTENER]?: ScopeListener })[SCOPE_LISTENER];
}

/** Marks functions that may call `onDebug` of their environment. */
const ACCEPTS_DEBUG: unique symbol = Symbol('iml.acceptsDebug');

/** Marks a function, so that it is called with the listener of the scope it is called for. */
export function acceptDebug(fn: ImlFunction): ImlFunction {
  return Object.defineProperty(fn, ACCEPTS_DEBUG, { value: true });
}

export function acceptsDebug(fn: ImlFunction): boolean {
  return Object.hasOwn(fn, ACCEPTS_DEBUG);
}

/** The environment in which `debug(...)` goes to the listener of a scope, where it has one. */
export function environmentFor(scope: Scope, environment: Environment): Environment {
  const listener = readScopeListener(scope);
  if (listener?.onDebug === undefined) return environment;
  return { ...environment, onDebug: (output) => listener.onDebug?.(output) };
}
