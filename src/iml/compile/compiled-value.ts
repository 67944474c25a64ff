import type { Scope } from '../environment/environment.js';
import type { Evaluate } from './compile-primary.js';
import { type ReportedPath, reportMissing } from './missing-value.js';

/**
 * A value of a template made ready. What is left to do with its result stands beside the closure, not in another
 * closure around it: a template of a thousand records would pay for that call at every value.
 */
export interface CompiledValue {
  readonly evaluate: Evaluate;
  /** What is told when the result is missing. */
  readonly reported: ReportedPath | undefined;
  /** Whether operators or functions made the result: a number that is none of the finite ones is then null. */
  readonly isComputed: boolean;
  /** What a missing result becomes on platform version 1. [app] */
  readonly missing: null | undefined;
  /** Where the value is nothing but a member of a name of the scope: that name. Neither is one that objects inherit. */
  readonly root?: string | undefined;
}

/** A value that needs nothing done to its result. */
export function compiledAs(evaluate: Evaluate): CompiledValue {
  return { evaluate, reported: undefined, isComputed: false, missing: undefined };
}

/** The value for a scope. A result that is no number (0 / 0, a word times two) is null. */
export function valueFor(ready: CompiledValue, scope: Scope): unknown {
  const value = ready.evaluate(scope);
  if (value === undefined || value === null) return missingValueFor(ready, value, scope);
  return ready.isComputed ? finiteOrNull(value) : value;
}

/** What a missing result becomes, told to whoever listens. */
export function missingValueFor(
  ready: CompiledValue,
  value: null | undefined,
  scope: Scope,
): null | undefined {
  if (ready.reported !== undefined) reportMissing(ready.reported, scope);
  return value === undefined ? ready.missing : value;
}

/** A number that is none of the finite ones is null. [choice] */
export function finiteOrNull(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}
