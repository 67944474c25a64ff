import type { Expression } from '../syntax/ast.js';
import type { Parts } from '../values/work.js';
import { compileNested } from './closures.js';
import type { CompileContext, Evaluate } from './compile-primary.js';
import { compileStackProgram, stackProgramInParts } from './stack-program.js';

/**
 * Trees higher than this do not become nested closures, because evaluating those uses the host's stack
 * and callers may already stand deep in it.
 */
const MAX_NESTED_HEIGHT = 256;

/** Turns a tree of any height into a closure. */
export function compileExpression(node: Expression, context: CompileContext): Evaluate {
  return node.height > MAX_NESTED_HEIGHT ? compileStackProgram(node, context) : compileNested(node, context);
}

/** Characters of an expression that is made ready at once: some 0.3 ms. */
const MAX_AT_ONCE = 2000;

/** `compileExpression` in parts, for a tree that may be large, however low it is. */
export function* compileExpressionInParts(node: Expression, context: CompileContext): Parts<Evaluate> {
  if (node.end - node.start <= MAX_AT_ONCE) return compileExpression(node, context);
  return yield* stackProgramInParts(node, context);
}
