import type { Expression } from '../../src/iml/syntax/ast.js';

/** What a reference evaluation ends with: a value, or an error with its kind and message. */
export type Outcome =
  | { readonly value: unknown }
  | { readonly kind: 'unknown-function' | 'function-error'; readonly message: string };

export interface ReferenceContext {
  readonly scope: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
  /** Gives a value, or throws a `Failure`. */
  readonly functions: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** An error of the language on its way out. */
export class Failure extends Error {
  readonly kind: 'unknown-function' | 'function-error';

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Evaluates a tree as reference/iml-language.md reads, section by section: slow, recursive, and sharing no line with
 * the evaluators it is compared with. Only the tree comes from the parser.
 */
export function evaluateReference(node: Expression, context: ReferenceContext): Outcome {
  try {
    return { value: valueFor(node, context) };
  } catch (error) {
    if (error instanceof Failure) return { kind: error.kind, message: error.message };
    throw error;
  }
}

function valueFor(node: Expression, context: ReferenceContext): unknown {
  switch (node.kind) {
    case 'literal':
      return node.value;
    case 'keyword':
      return keyword(node.name);
    case 'name':
      return name(node.name, node.form === 'plain', context);
    case 'member':
      return member(valueFor(node.object, context), node.name);
    case 'index': {
      const object = valueFor(node.object, context);
      if (node.index === undefined) return Array.isArray(object) ? item(object, 1) : object;
      return atIndex(object, valueFor(node.index, context));
    }
    case 'call':
      return call(node.name, node.args, context);
    case 'unary': {
      const operand = valueFor(node.operand, context);
      return node.operator === '!' ? !operand : -number(operand);
    }
    case 'binary':
      return binary(node.operator, node.left, node.right, context);
  }
}

/** Section 6. */
function keyword(word: string): unknown {
  const table: Record<string, unknown> = {
    true: true,
    false: false,
    null: null,
    erase: null,
    ignore: undefined,
    emptystring: '',
    emptyarray: [],
    space: ' ',
    tab: '\t',
    newline: '\n',
    carriagereturn: '\r',
    nbsp: '\u00a0',
  };
  return table[word];
}

/** Section 5: the scope, then a variable; a quoted name skips variables. */
function name(word: string, isPlain: boolean, context: ReferenceContext): unknown {
  if (Object.hasOwn(context.scope, word)) return visible(context.scope[word]);
  if (isPlain && word === 'now') return new Date(context.nowMs);
  if (isPlain && word === 'pi') return Math.PI;
  return undefined;
}

/** A function in data is never seen. */
function visible(value: unknown): unknown {
  return typeof value === 'function' ? undefined : value;
}

/** Section 5: own members of collections, 1-based items of arrays, nothing of anything else. */
function member(object: unknown, segment: string): unknown {
  if (Array.isArray(object)) return /^-?[0-9]+$/.test(segment) ? item(object, Number(segment)) : undefined;
  if (typeof object !== 'object' || object === null || Object.getPrototypeOf(object) !== Object.prototype)
    return undefined;
  return Object.hasOwn(object, segment) ? visible((object as Record<string, unknown>)[segment]) : undefined;
}

function item(array: readonly unknown[], position: number): unknown {
  if (position > 0) return visible(array[position - 1]);
  return position < 0 ? visible(array[array.length + position]) : undefined;
}

function atIndex(object: unknown, index: unknown): unknown {
  if (typeof index === 'number' && Array.isArray(object)) return item(object, index);
  if (typeof index === 'number') return member(object, text(index));
  return typeof index === 'string' ? member(object, index) : undefined;
}

/** Section 7; errors: section 10. */
function call(called: string, args: readonly (Expression | undefined)[], context: ReferenceContext): unknown {
  const value = (index: number): unknown => {
    const arg = args[index];
    return arg === undefined ? undefined : valueFor(arg, context);
  };
  const run = context.functions[called];
  if (called !== 'if' && called !== 'ifempty' && run === undefined) {
    throw new Failure('unknown-function', `Function '${called}' not found!`);
  }
  try {
    if (called === 'if') return value(0) ? value(1) : value(2);
    if (called === 'ifempty') {
      const first = value(0);
      return first === undefined || first === null || first === '' ? value(1) : first;
    }
    return run?.(...args.map((_, index) => value(index)));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.kind, `Function '${called}' finished with error! ${error.message}`);
  }
}

/** Section 4. */
function binary(operator: string, left: Expression, right: Expression, context: ReferenceContext): unknown {
  const a = valueFor(left, context);
  if (operator === '&') return a ? valueFor(right, context) : a;
  if (operator === '|') return a ? a : valueFor(right, context);
  const b = valueFor(right, context);
  switch (operator) {
    case '+':
      return plus(a, b);
    case '-':
      return number(a) - number(b);
    case '*':
      return number(a) * number(b);
    case '/':
      return number(a) / number(b);
    case '%':
      return number(a) % number(b);
    case '=':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    default:
      return related(operator, a, b);
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function plus(a: unknown, b: unknown): unknown {
  if (isMissing(a) && isMissing(b)) return null;
  if (isMissing(a)) return b;
  if (isMissing(b)) return a;
  const areNumbers = [a, b].every((side) => typeof side === 'number' || side instanceof Date);
  return areNumbers ? Number(a) + Number(b) : text(a) + text(b);
}

function equal(a: unknown, b: unknown): boolean {
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b);
  if (a instanceof Date && b instanceof Date) return Number(a) === Number(b);
  return a === b;
}

function related(operator: string, a: unknown, b: unknown): boolean {
  const x = side(a, b);
  const y = side(b, a);
  if (x === undefined || y === undefined) return false;
  switch (operator) {
    case '<':
      return x < y;
    case '<=':
      return x <= y;
    case '>':
      return x > y;
    default:
      return x >= y;
  }
}

/** Arrays and collections do not compare; text beside a date is read as one. */
function side(value: unknown, other: unknown): string | number | boolean | undefined {
  if (value === null) return 0;
  if (value instanceof Date) return Number(value);
  if (typeof value === 'string' && other instanceof Date) {
    // The dates that generated texts hold: section 8.5 knows more shapes.
    return /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : undefined;
  }
  return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined);
}

/** The operand of arithmetic: numeric text is converted, a date counts as its milliseconds. */
function number(value: unknown): number {
  if (typeof value === 'string')
    return /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value) ? Number(value) : Number.NaN;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value instanceof Date)
    return Number(value);
  return Number.NaN;
}

/** Section 8.4. */
function text(value: unknown): string {
  if (isMissing(value) || typeof value === 'function') return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(text).join(',');
  return typeof value === 'object' ? '{object}' : String(value);
}
