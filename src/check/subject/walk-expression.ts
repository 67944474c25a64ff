import type { Expression, Name } from '../../iml/syntax/ast.js';
import { assertNever } from '../../util/assert-never.js';

/** Calls `visit` for an expression and all inside it, outer ones first. Keeps a stack of its own: depth costs memory only. */
export function walkExpression(root: Expression, visit: (node: Expression) => void): void {
  const open: Expression[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    visit(node);
    open.push(...listChildren(node).reverse());
  }
}

function listChildren(node: Expression): Expression[] {
  switch (node.kind) {
    case 'literal':
    case 'keyword':
    case 'name':
      return [];
    case 'member':
      return [node.object];
    case 'index':
      return node.index === undefined ? [node.object] : [node.object, node.index];
    case 'call':
      return node.args.filter((arg) => arg !== undefined);
    case 'unary':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    default:
      return assertNever(node);
  }
}

/** A path whose names are all written out: `body.items[].id`. */
export interface WrittenPath {
  readonly root: Name;
  readonly members: readonly PathMember[];
}

export interface PathMember {
  /** Name of a member; undefined for an index. */
  readonly name: string | undefined;
  readonly node: Expression;
}

/** The path an expression is, from its root name on; undefined for what is no path. */
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

/** Every path in an expression, each in its full length: of `a.b.c` not `a.b`. */
export function listPaths(root: Expression): readonly WrittenPath[] {
  const paths: WrittenPath[] = [];
  const inner = new Set<Expression>();
  walkExpression(root, (node) => {
    if (node.kind === 'member' || node.kind === 'index') {
      if (!inner.has(node)) {
        const path = readPath(node);
        if (path !== undefined) paths.push(path);
      }
      inner.add(node.object);
    } else if (node.kind === 'name' && !inner.has(node)) paths.push({ root: node, members: [] });
  });
  return paths;
}
