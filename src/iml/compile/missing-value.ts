import type { Scope } from '../environment/environment.js';
import { type MissingValue, readScopeListener } from '../environment/scope-listener.js';
import type { Expression } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { isMissing } from '../values/coerce.js';
import { compileExpression } from './compile-expression.js';
import type { CompileContext, Evaluate } from './compile-primary.js';

/** Tells the listener of a scope, where it has one, that an expression led to nothing. */
export type MissingReport = (scope: Scope) => void;

/**
 * The report of a path that led to nothing, undefined for an expression that needs none:
 * as the hole of a text it is told always, as the whole template (`path`) only if it broke before its last step.
 * An optional field that is absent at the end of a path is ordinary and says nothing.
 */
export function missingReport(
  node: Expression,
  reason: MissingValue['reason'],
  context: CompileContext,
): MissingReport | undefined {
  if (!isPath(node) || (reason === 'path' && node.kind !== 'member')) return undefined;
  const { start, end } = node;
  let parent: Evaluate | undefined;
  return (scope) => {
    const listener = readScopeListener(scope);
    if (listener === undefined) return;
    const { source, pointer } = context;
    if (reason === 'path') {
      parent ??= compileParent(context);
      if (!isMissing(parent(scope))) return;
    }
    listener.onMissing({ expression: source.slice(start, end), pointer, offset: start, reason });
  };
}

/**
 * All but the last step of the path that a template consists of. It is parsed again, as few reports are ever made and a
 * tree kept for each is much.
 */
function compileParent(context: CompileContext): Evaluate {
  const [node] = parseTemplate(context.source).parts;
  if (typeof node !== 'object' || node.kind !== 'member') throw new Error(`${context.source} is no path.`);
  return compileExpression(node.object, context);
}

/** A name with steps behind it; calls and operators decide themselves what nothing means. */
function isPath(node: Expression): boolean {
  let step = node;
  while (step.kind === 'member' || step.kind === 'index') step = step.object;
  return step.kind === 'name' && step.name !== 'undefined';
}
