import type { Binary, Expression, Name } from '../../iml/syntax/ast.js';
import type { ExpressionSite } from './expression-site.js';
import type { Subject } from './subject.js';
import { listVisibleNames } from './visible-names.js';

/** A name with hyphens that parses as a subtraction: `headers.retry-after`. */
export interface HyphenName {
  /** Offset of its first part, the last name of the left path. */
  readonly start: number;
  readonly end: number;
  readonly first: string;
  /** The parts that parse as separate names. */
  readonly rest: readonly Name[];
}

/** Names with hyphens in a text. A subtraction of a known name is not one. */
export function listHyphenNames(subject: Subject, site: ExpressionSite): readonly HyphenName[] {
  const found: HyphenName[] = [];
  const inner = new Set<Expression>();
  for (const node of site.nodes) {
    const name = node.kind === 'binary' && !inner.has(node) ? readHyphenName(node) : undefined;
    if (name === undefined) continue;
    const visible = listVisibleNames(subject.app, site.in, site.location);
    if (name.rest.some((one) => visible.includes(one.name))) continue;
    for (let left: Expression = node; left.kind === 'binary'; left = left.left) inner.add(left);
    found.push(name);
  }
  return found;
}

/** `path.a-b-c` without a space; undefined for anything else. */
function readHyphenName(node: Binary): HyphenName | undefined {
  const rest: Name[] = [];
  let left: Expression = node;
  while (left.kind === 'binary') {
    const { right } = left;
    if (left.operator !== '-' || right.kind !== 'name' || right.form !== 'plain') return undefined;
    if (right.start !== left.left.end + 1) return undefined;
    rest.unshift(right);
    left = left.left;
  }
  if (left.kind !== 'member') return undefined;
  return { start: left.end - left.name.length, end: node.end, first: left.name, rest };
}
