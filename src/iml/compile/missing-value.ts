import type { Scope } from '../environment/environment.js';
import { type MissingValue, readScopeListener } from '../environment/scope-listener.js';
import type { Expression } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { isMissing } from '../values/coerce.js';
import { compileExpression } from './compile-expression.js';
import type { CompileContext, Evaluate } from './compile-primary.js';

/** A path whose listener, where a scope has one, is told that it led to nothing. */
export interface ReportedPath {
  readonly start: number;
  readonly end: number;
  readonly reason: MissingValue['reason'];
  readonly context: CompileContext;
  /** All but the last step of it, once somebody has to know where it broke. */
  parent: Evaluate | undefined;
}

/** Characters of a template that is parsed once more to find where it broke. [choice] */
const MAX_LOOKED_INTO = 1000;

/**
 * What to tell of a path that led to nothing, undefined for an expression of which nothing is told:
 * as the hole of a text it is told always, as the whole template (`path`) only if it broke before its last step.
 * An optional field that is absent at the end of a path is ordinary and says nothing.
 */
export function reportedPath(
  node: Expression,
  reason: MissingValue['reason'],
  context: CompileContext,
): ReportedPath | undefined {
  if (!isPath(node)) return undefined;
  const isLookedInto = node.kind === 'member' && context.source.length <= MAX_LOOKED_INTO;
  if (reason === 'path' && !isLookedInto) return undefined;
  return { start: node.start, end: node.end, reason, context, parent: undefined };
}

/** Tells the listener of a scope, where it has one, that a path led to nothing. */
export function reportMissing(path: ReportedPath, scope: Scope): void {
  const listener = readScopeListener(scope);
  if (listener === undefined || listener.wantsMissing?.() === false) return;
  const { start, end, reason, context } = path;
  if (reason === 'path') {
    path.parent ??= compileParent(context);
    if (!isMissing(path.parent(scope))) return;
  }
  const { source, pointer } = context;
  listener.onMissing({ expression: source.slice(start, end), pointer, offset: start, reason });
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
