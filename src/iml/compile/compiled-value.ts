import type { Scope } from '../environment/environment.js';
import type { Evaluate } from './compile-primary.js';
import { type ReportedPath, reportMissing } from './missing-value.js';

/**
 * A compiled value of a template. Post-processing of the result is described as data rather than by a wrapping closure,
 * which would cost a call for every value.
 */
export interface CompiledValue {
  readonly evaluate: Evaluate;
  /** What to report when the result is missing. */
  readonly reported: ReportedPath | undefined;
  /** Whether operators or functions made the result: a non-finite number then becomes null. */
  readonly isComputed: boolean;
  /** What a missing result becomes on platform version 1. [app] */
  readonly missing: null | undefined;
  /** The scope name, if the value is a plain member of one. Neither name is one that objects inherit. */
  readonly root?: string | undefined;
}

/** A value whose result needs no post-processing. */
export function compiledAs(evaluate: Evaluate): CompiledValue {
  return { evaluate, reported: undefined, isComputed: false, missing: undefined };
}

/** The value for a scope. NaN (0 / 0, a word times two) becomes null. */
export function valueFor(ready: CompiledValue, scope: Scope): unknown {
  const value = ready.evaluate(scope);
  if (value === undefined || value === null) return missingValueFor(ready, value, scope);
  return ready.isComputed ? finiteOrNull(value) : value;
}

/** Reports a missing result to the scope's listener and returns what it becomes. */
export function missingValueFor(
  ready: CompiledValue,
  value: null | undefined,
  scope: Scope,
): null | undefined {
  if (ready.reported !== undefined) reportMissing(ready.reported, scope);
  return value === undefined ? ready.missing : value;
}

/** Non-finite numbers become null. [choice] */
export function finiteOrNull(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}
