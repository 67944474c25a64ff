import { assertNever } from '../../util/plain-object.js';
import type { Expression, Name } from './ast.js';

/** An expression and all inside it, outer ones first. Keeps a stack of its own: depth costs memory only. */
export function listNodes(root: Expression): readonly Expression[] {
  const nodes: Expression[] = [];
  const open: Expression[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    openChildren(node, open);
  }
  return nodes;
}

/** The last first, as they are taken from the end. */
function openChildren(node: Expression, open: Expression[]): void {
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

/** Every path in an expression, given by its nodes, each in its full length: of `a.b.c` not `a.b`. */
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
 * Names that stand before an opening parenthesis in a text: those of all functions that it calls as a template or expression, and of what
 * looks like a call. Far less than parsing, for who has to know them before templates are compiled.
 *
 * @param from where the first parenthesis may stand. Default: anywhere.
 * @param to in front of which the last one stands
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

/** White space beyond ASCII counts as part of a name here: which letters there are is not looked up. */
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
