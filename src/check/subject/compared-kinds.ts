import type { Binary, Expression } from '../../iml/syntax/ast.js';
import { readPath } from '../../iml/syntax/walk-expression.js';
import type { ExpressionSite } from './expression-site.js';
import { type FieldKind, findFieldTypes } from './field-types.js';
import type { Subject } from './subject.js';

/** A comparison by `=` or `!=` with a constant. */
export interface Comparison {
  readonly node: Binary;
  readonly constant: string | number | boolean;
  readonly constantKind: FieldKind;
  /** Type of the other side; undefined if unknown. */
  readonly otherKind: FieldKind | undefined;
}

/** Comparisons of a path with a constant. */
export function listComparisons(subject: Subject, site: ExpressionSite): readonly Comparison[] {
  return site.nodes.flatMap((node): Comparison[] => {
    if (node.kind !== 'binary' || (node.operator !== '=' && node.operator !== '!=')) return [];
    const left = readConstant(node.left);
    const right = readConstant(node.right);
    const constant = left ?? right;
    const other = left === undefined ? node.left : node.right;
    if (constant === undefined || readPath(other) === undefined) return [];
    const constantKind = kindOf(constant);
    return [{ node, constant, constantKind, otherKind: inferKind(subject, site, other) }];
  });
}

function readConstant(expression: Expression): string | number | boolean | undefined {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind !== 'keyword') return undefined;
  return expression.name === 'true' ? true : expression.name === 'false' ? false : undefined;
}

function kindOf(constant: string | number | boolean): FieldKind {
  return typeof constant === 'string' ? 'text' : typeof constant === 'number' ? 'number' : 'boolean';
}

/** Type of a path, if known. */
function inferKind(subject: Subject, site: ExpressionSite, expression: Expression): FieldKind | undefined {
  const path = readPath(expression);
  if (path === undefined || path.root.form !== 'plain') return undefined;
  const [member, ...more] = path.members;
  if (path.root.name === 'statusCode' && member === undefined) return 'number';
  if (path.root.name === 'headers' && member?.name !== undefined && more.length === 0) return 'text';
  if (path.root.name !== 'parameters' || member?.name === undefined || more.length > 0) return undefined;
  return findFieldTypes(subject, site.in).get(member.name);
}

/**
 * Whether a constant can equal a value of another type under loose equality: only text that reads as a number can.
 */
export function canEqualOtherKind({ constant }: Comparison): boolean {
  return typeof constant !== 'string' || !Number.isNaN(Number(constant));
}
