import type { Expression } from '../syntax/ast.js';
import { compileNested } from './closures.js';
import type { CompileContext, Evaluate } from './compile-primary.js';
import { compileStackProgram } from './stack-program.js';

/**
 * Trees higher than this do not become nested closures, because evaluating those uses the host's stack
 * and callers may already stand deep in it.
 */
const MAX_NESTED_HEIGHT = 256;

/** Turns a tree of any height into a closure. */
export function compileExpression(node: Expression, context: CompileContext): Evaluate {
  return node.height > MAX_NESTED_HEIGHT ? compileStackProgram(node, context) : compileNested(node, context);
}
