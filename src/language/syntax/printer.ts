import { ImlError } from '../../shared/errors/iml-error.js';
import { assertNever } from '../../shared/plain-object.js';
import type { Expression, Member, Template } from './ast.js';
import { isDigits, isPlainName, PRECEDENCE } from './grammar.js';

/**
 * Prints a template so that parsing the result gives the same tree. Aliases, spacing and redundant parentheses are lost.
 *
 * @throws ImlError (IML_HOST_VALUE) for a value that `parseTemplate` did not return
 */
export function printTemplate(template: Template): string {
  try {
    return template.parts
      .map((part) =>
        typeof part === 'string' ? part.replace(/\{{2,}/g, escapeBraces) : `{{${printExpression(part)}}}`,
      )
      .join('');
  } catch (cause) {
    const message = 'printTemplate: expected a template from parseTemplate.';
    throw new ImlError('IML_HOST_VALUE', message, { kind: 'type', cause });
  }
}

/** An odd brace goes first: after the others it would be part of the `{{` of a following expression. */
function escapeBraces(run: string): string {
  return `${run.length % 2 === 1 ? '{' : ''}${'\\{{'.repeat(run.length >> 1)}`;
}

/** Prints an expression without its braces. Does not recurse, so any depth is safe. */
export function printExpression(expression: Expression): string {
  const output: string[] = [];
  const todo: (Expression | string)[] = [expression];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') output.push(next);
    else for (const piece of listPieces(next).reverse()) todo.push(piece);
  }
  return output.join('');
}

function listPieces(node: Expression): (Expression | string)[] {
  switch (node.kind) {
    case 'literal':
      return [typeof node.value === 'string' ? printString(node.value) : printNumber(node.value)];
    case 'keyword':
      return [node.name];
    case 'name':
      return [node.form === 'quoted' ? `\`${node.name}\`` : node.name];
    case 'member':
      return [...bracketed(node.object, needsBracketsInPath(node.object)), `.${printSegment(node)}`];
    case 'index':
      return [
        ...bracketed(node.object, needsBracketsInPath(node.object)),
        '[',
        ...(node.index === undefined ? [] : [node.index]),
        ']',
      ];
    case 'call':
      return [
        node.name,
        '(',
        ...node.args.flatMap((arg, index) => (index === 0 ? [arg ?? ''] : [', ', arg ?? ''])),
        ')',
      ];
    case 'unary':
      return [node.operator, ...bracketed(node.operand, node.operand.kind === 'binary')];
    case 'binary': {
      const own = PRECEDENCE[node.operator];
      return [
        ...bracketed(node.left, strength(node.left) < own),
        ` ${node.operator} `,
        ...bracketed(node.right, strength(node.right) <= own),
      ];
    }
    case 'list':
      return ['[', ...node.items.flatMap((item, index) => (index === 0 ? [item] : [', ', item])), ']'];
    default:
      return assertNever(node);
  }
}

function bracketed(node: Expression, brackets: boolean): (Expression | string)[] {
  return brackets ? ['(', node, ')'] : [node];
}

/** Precedence of a node as an operand. */
function strength(node: Expression): number {
  return node.kind === 'binary' ? PRECEDENCE[node.operator] : Number.POSITIVE_INFINITY;
}

/** Without parentheses `(5).x` would read module 5, and `(-a).b` would be `-(a.b)`. */
function needsBracketsInPath(node: Expression): boolean {
  return (
    node.kind === 'binary' ||
    node.kind === 'unary' ||
    (node.kind === 'literal' && typeof node.value === 'number')
  );
}

/** Digits after a module number need backticks: ``1.`0` `` is a path, `1.0` is a number. */
function printSegment({ object, name }: Member): string {
  const isModule = object.kind === 'name' && object.form === 'module';
  return isPlainName(name) || (isDigits(name) && !isModule) ? name : `\`${name}\``;
}

function printString(value: string): string {
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `'${escaped}'`;
}

/** Prints a number without an exponent, because the language has none. */
function printNumber(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  if (shift < 0) return `0.${'0'.repeat(-shift - whole.length)}${whole}${fraction}`;
  return whole + fraction.padEnd(shift, '0');
}
