import type { Expression } from '../../iml/syntax/ast.js';

const TAKES_FORMAT: ReadonlySet<string> = new Set(['formatDate', 'parseDate']);

/** The format argument of a date function; undefined for other nodes. */
export function formatArgument(node: Expression): Expression | undefined {
  return node.kind === 'call' && TAKES_FORMAT.has(node.name) ? node.args[1] : undefined;
}
