import { assertNever } from '../../shared/plain-object.js';
import type { Expression, Name } from './ast.js';

/** Lists an expression and all its descendants in preorder. Does not recurse, so any depth is safe. */
export function listNodes(root: Expression): readonly Expression[] {
  const nodes: Expression[] = [];
  const open: Expression[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    pushChildren(node, open);
  }
  return nodes;
}

/** Pushes the children in reverse order, because the caller pops them. */
function pushChildren(node: Expression, open: Expression[]): void {
  switch (node.kind) {
    case 'literal':
    case 'keyword':
    case 'name':
      break;
    case 'member':
      open.push(node.object);
      break;
    case 'index':
      if (node.index !== undefined) open.push(node.index);
      open.push(node.object);
      break;
    case 'call':
      for (let index = node.args.length - 1; index >= 0; index--) {
        const argument = node.args[index];
        if (argument !== undefined) open.push(argument);
      }
      break;
    case 'unary':
      open.push(node.operand);
      break;
    case 'binary':
      open.push(node.right, node.left);
      break;
    case 'list':
      for (const item of node.items.toReversed()) open.push(item);
      break;
    default:
      assertNever(node);
  }
}

/** A path from a name: `body.items[].id`. */
export interface WrittenPath {
  readonly root: Name;
  readonly members: readonly PathMember[];
}

export interface PathMember {
  /** Undefined for an index. */
  readonly name: string | undefined;
  readonly node: Expression;
}

/** Returns an expression as a path; undefined if it is not a path. */
export function readPath(expression: Expression): WrittenPath | undefined {
  const members: PathMember[] = [];
  let node = expression;
  for (;;) {
    if (node.kind === 'name') return { root: node, members: members.reverse() };
    if (node.kind === 'member') {
      members.push({ name: node.name, node });
      node = node.object;
    } else if (node.kind === 'index') {
      members.push({ name: undefined, node });
      node = node.object;
    } else return undefined;
  }
}

/** Lists the paths among the nodes of an expression. `a.b.c` is one path; its prefix `a.b` is not listed. */
export function listPaths(nodes: readonly Expression[]): readonly WrittenPath[] {
  const paths: WrittenPath[] = [];
  const inner = new Set<Expression>();
  for (const node of nodes) {
    const path = inner.has(node) ? undefined : readPath(node);
    if (path !== undefined) paths.push(path);
    if (node.kind === 'member' || node.kind === 'index') inner.add(node.object);
  }
  return paths;
}

/**
 * Lists the names before opening parentheses in a template. The result has every called function, and may have other
 * names that look like a call. Much faster than parsing.
 *
 * @param from offset of the first parenthesis to examine. Default: 0
 * @param to offset after the last parenthesis to examine. Default: the length of the template
 */
export function findCalls(template: string, from = 0, to: number = template.length): readonly string[] {
  const names: string[] = [];
  for (let at = template.indexOf('(', from); at >= 0 && at < to; at = template.indexOf('(', at + 1)) {
    let end = at;
    while (end > 0 && template.charCodeAt(end - 1) <= 0x20) end--;
    let start = end;
    while (start > 0 && canStandInName(template.charCodeAt(start - 1))) start--;
    if (start < end) names.push(template.slice(start, end));
  }
  return names;
}

/** All characters beyond ASCII count as part of a name, white space included: an exact test would be slow. */
function canStandInName(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x24 ||
    code > 0x7f
  );
}
