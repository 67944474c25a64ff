import type { Scope } from '../environment/environment.js';
import { readScopeListener } from '../environment/scope-listener.js';
import { isTruthy } from '../values/coerce.js';
import type { CompileContext } from './compile-primary.js';

/** Tells which side an `if` that is observed chooses by the value of its condition, and gives that. */
export function branchReporter(
  offset: number,
  { pointer }: CompileContext,
): (condition: unknown, scope: Scope) => unknown {
  return (condition, scope) => {
    readScopeListener(scope)?.onBranch?.({ pointer, offset, isYes: isTruthy(condition) });
    return condition;
  };
}
