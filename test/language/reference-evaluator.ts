import { Decimal } from 'decimal.js';
import { type Expression, parse } from '../../src/language/index.js';

/** Result of a reference evaluation: a value, or an error with its kind and message. */
export type Outcome = { readonly value: unknown } | { readonly kind: FailureKind; readonly message: string };

type FailureKind = 'unknown-function' | 'function-error' | 'type';

/** Options of the evaluation. */
export interface ReferenceOptions {
  /** Default: runtime. */
  readonly semantics?: 'runtime' | 'documented';
  /** Default: 2. */
  readonly platformVersion?: 1 | 2;
}

export interface ReferenceContext extends ReferenceOptions {
  readonly scope: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
  /** Returns a value or throws a `Failure`. */
  readonly functions: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** A thrown error of the language. */
export class Failure extends Error {
  readonly kind: FailureKind;

  constructor(kind: Failure['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Reference implementation of the documented rules: slow, recursive, and independent of the tested evaluator. It shares
 * only the parser with it.
 */
export function evaluateReference(node: Expression, context: ReferenceContext): Outcome {
  try {
    return { value: valueFor(node, context) };
  } catch (error) {
    if (error instanceof Failure) return { kind: error.kind, message: error.message };
    throw error;
  }
}

/** Evaluates any JSON value whose strings are valid templates. Section 9. */
export function evaluateTemplateReference(template: unknown, context: ReferenceContext): Outcome {
  try {
    return { value: templateValue(template, context) };
  } catch (error) {
    if (error instanceof Failure) return { kind: error.kind, message: error.message };
    throw error;
  }
}

function templateValue(template: unknown, context: ReferenceContext): unknown {
  if (typeof template === 'string') return textValue(template, context);
  // Items without a value keep their index.
  if (Array.isArray(template)) return template.map((each) => templateValue(each, context) ?? null);
  if (typeof template !== 'object' || template === null) return template;
  const members = new Map<string, unknown>();
  for (const [key, inner] of Object.entries(template)) addMember(members, key, inner, context);
  return Object.fromEntries(members);
}

/** Section 9: spread members, templates as names, members without a value. */
function addMember(
  members: Map<string, unknown>,
  key: string,
  inner: unknown,
  context: ReferenceContext,
): void {
  if (/^\{\{\s*\.\.\.\s*\}\}$/.test(key)) {
    const spread = templateValue(inner, context);
    if (isMissing(spread)) return;
    if (typeof spread !== 'object' || Object.getPrototypeOf(spread) !== Object.prototype)
      throw new Failure('type', `Only a collection can be spread, not ${typeName(spread)}.`);
    for (const [name, value] of Object.entries(spread as object)) {
      if (value !== undefined && typeof value !== 'function') members.set(name, value);
    }
    return;
  }
  const isTemplate = key.includes('{{');
  const name = isTemplate ? text(textValue(key, context)) : key;
  if (isTemplate && name === '') return;
  const value = templateValue(inner, context);
  if (value === undefined) members.delete(name);
  else members.set(name, value);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return 'a date';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** Section 1: a single expression keeps its type; a non-finite result is null (section 4). */
function textValue(source: string, context: ReferenceContext): unknown {
  const { parts } = parse(source);
  const [only] = parts;
  if (parts.length !== 1 || only === undefined || typeof only === 'string') {
    return parts.map((part) => (typeof part === 'string' ? part : text(valueFor(part, context)))).join('');
  }
  const value = valueFor(only, context);
  const isComputed = ['binary', 'unary', 'call'].includes(only.kind);
  if (isComputed && typeof value === 'number' && !Number.isFinite(value)) return null;
  return value === undefined && context.platformVersion === 1 ? null : value;
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
    case 'list':
      return null;
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
  if (isPlain && word === 'timestamp') return Math.floor(context.nowMs / 1000);
  if (isPlain && word === 'pi') return Math.PI;
  return undefined;
}

/** A function in data reads as undefined. */
function visible(value: unknown): unknown {
  return typeof value === 'function' ? undefined : value;
}

/** Section 5: own members of collections and 1-based items of arrays. */
export function member(object: unknown, segment: string): unknown {
  if (Array.isArray(object)) return /^-?[0-9]+$/.test(segment) ? item(object, Number(segment)) : undefined;
  if (typeof object !== 'object' || object === null || Object.getPrototypeOf(object) !== Object.prototype)
    return undefined;
  return Object.hasOwn(object, segment) ? visible((object as Record<string, unknown>)[segment]) : undefined;
}

function item(array: readonly unknown[], position: number): unknown {
  if (position > 0) return visible(array[position - 1]);
  return position < 0 ? visible(array[array.length + position]) : undefined;
}

export function atIndex(object: unknown, index: unknown): unknown {
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
      return plainNumber(a) - plainNumber(b);
    case '++':
      return plainNumber(a) + plainNumber(b);
    case '*':
      return new Decimal(number(a)).times(number(b)).toNumber();
    case '/':
      return new Decimal(number(a)).dividedBy(number(b)).toNumber();
    case '%':
      return new Decimal(number(a)).modulo(number(b)).toNumber();
    case '=':
      return equal(a, b, context);
    case '!=':
      return !equal(a, b, context);
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
  return areNumbers ? new Decimal(Number(a)).plus(Number(b)).toNumber() : text(a) + text(b);
}

function equal(a: unknown, b: unknown, { semantics }: ReferenceOptions): boolean {
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b);
  if (a instanceof Date && b instanceof Date) return Number(a) === Number(b);
  if (semantics === 'documented' || typeof a === typeof b) return a === b;
  // Different types: text and booleans are converted to numbers, an array to its text.
  const [x, y] = [a, b].map((each) => (Array.isArray(each) ? text(each) : each));
  if (typeof x === 'object' || typeof y === 'object') return false;
  return typeof x === typeof y ? x === y : Number(x) === Number(y);
}

/** The operand of `-` and `++`: text is converted by `Number`. */
function plainNumber(value: unknown): number {
  return typeof value === 'string' ? Number(value) : number(value);
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

/** Arrays and collections are not comparable; text is parsed as a date if the other operand is a date. */
function side(value: unknown, other: unknown): string | number | boolean | undefined {
  if (value === null) return 0;
  if (value instanceof Date) return Number(value);
  if (typeof value === 'string' && other instanceof Date) {
    // The only shape of dates in generated text. Section 8.5 has more.
    return /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : undefined;
  }
  return typeof value === 'object' ? undefined : (value as string | number | boolean | undefined);
}

/** The operand of arithmetic: numeric text is converted, a date is its milliseconds. */
function number(value: unknown): number {
  if (typeof value === 'string') {
    const read = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : Number.NaN;
    return Number.isFinite(read) ? read : Number.NaN;
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value instanceof Date)
    return Number(value);
  return Number.NaN;
}

/** Section 8.4. */
export function text(value: unknown): string {
  if (isMissing(value) || typeof value === 'function') return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(text).join(',');
  return typeof value === 'object' ? '{object}' : String(value);
}
