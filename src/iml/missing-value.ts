import type { Expression } from './ast.js';
import { isMissing } from './coerce.js';
import { compileExpression } from './compile-expression.js';
import type { Scope } from './environment.js';
import type { CompileContext, Evaluate } from './leaves.js';
import { type MissingValue, missingListenerOf } from './scope-hook.js';

/** Tells the listener of a scope, where it has one, that an expression led to nothing. */
export type MissingReport = (scope: Scope) => void;

/**
 * The report of a path that led to nothing, undefined for an expression that needs none:
 * as the hole of a text it is told always, standing alone only if it broke before its last step.
 * An optional field that is absent at the end of a path is ordinary and says nothing.
 */
export function missingReport(
  node: Expression,
  reason: MissingValue['reason'],
  context: CompileContext,
): MissingReport | undefined {
  if (!isPath(node) || (reason === 'path' && node.kind !== 'member')) return undefined;
  let parent: Evaluate | undefined;
  return (scope) => {
    const listener = missingListenerOf(scope);
    if (listener === undefined) return;
    if (reason === 'path' && node.kind === 'member') {
      parent ??= compileExpression(node.object, context);
      if (!isMissing(parent(scope))) return;
    }
    const { source, pointer } = context;
    listener({ expression: source.slice(node.start, node.end), pointer, offset: node.start, reason });
  };
}

/** A name with steps behind it; calls and operators decide themselves what nothing means. */
function isPath(node: Expression): boolean {
  let step = node;
  while (step.kind === 'member' || step.kind === 'index') step = step.object;
  return step.kind === 'name' && step.name !== 'undefined';
}
