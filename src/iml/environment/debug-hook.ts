import type { DebugListener, Environment, ImlFunction, Scope } from './environment.js';

/** Key under which a scope may carry the listener for `debug(...)` of custom functions; no expression can name a symbol. */
const ON_DEBUG: unique symbol = Symbol('iml.onDebug');

/** Marks functions that may call `onDebug` of their environment. */
const ACCEPTS_DEBUG: unique symbol = Symbol('iml.acceptsDebug');

/** A scope in which what custom functions write with `debug(...)` goes to `listener`. The names are shared with the scope given. */
export function listenForDebug<S extends Scope>(scope: S, listener: DebugListener): S {
  return Object.defineProperty(scope, ON_DEBUG, { value: listener, enumerable: false, configurable: true });
}

/** Marks a function, so that it is called with the listener of the scope it is called for. */
export function acceptDebug(fn: ImlFunction): ImlFunction {
  return Object.defineProperty(fn, ACCEPTS_DEBUG, { value: true });
}

export function acceptsDebug(fn: ImlFunction): boolean {
  return Object.hasOwn(fn, ACCEPTS_DEBUG);
}

/** The environment with the listener of a scope, where it has one. */
export function environmentFor(scope: Scope, environment: Environment): Environment {
  const onDebug = (scope as { readonly [ON_DEBUG]?: DebugListener })[ON_DEBUG];
  return onDebug === undefined ? environment : { ...environment, onDebug };
}
