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
