import type { Environment, ImlFunction, Scope } from './environment.js';
import { readScopeListener } from './scope-listener.js';

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
