import { Decimal } from 'decimal.js';
import { ImlError, limitError } from '../../shared/errors/iml-error.js';
import { assertNever } from '../../shared/plain-object.js';
import { readDate } from '../date/read-date.js';
import {
  acceptsDebug,
  type Environment,
  environmentFor,
  type FunctionTable,
  findRewrite,
  findVariable,
  type ImlFunction,
  MAX_REWRITTEN_ARGUMENTS,
  makeUnknownFunctionError,
  readScopeListener,
  type Scope,
  type TemplateLocation,
  wrapCallError,
} from '../environment.js';
import { GENERAL_FUNCTIONS } from '../functions/general.js';
import type { Binary, Call, Expression, Index, Member, Name, Unary } from '../syntax/ast.js';
import { KEYWORDS } from '../syntax/grammar.js';
import { memberReader, readFirst, readIndex, scopePathReader } from '../values/path.js';
import { limitedText } from '../values/size-limits.js';
import { isEmpty, isTruthy, toArithmetic, toDifference, toText } from '../values/value.js';

/**
 * A compiled expression or template: returns its value for a scope. Inner functions rely on a plain scope, which
 * `compileTemplate` ensures.
 */
export type Evaluate = (scope: Scope) => unknown;

/** Inputs of the compiler besides the tree. */
export interface CompileContext extends TemplateLocation {
  readonly environment: Environment;
  readonly functions: FunctionTable;
}

function keywordReader(name: string): Evaluate {
  if (name === 'emptyarray') return () => [];
  const value = KEYWORDS.get(name);
  return () => value;
}

/** A name of the scope has precedence over a built-in variable. A quoted name is never a built-in variable. [choice] */
function nameReader(node: Name, environment: Environment): Evaluate {
  const read = scopePathReader([node.name]);
  const variable = variableOfName(node, environment);
  if (variable === undefined) return read;
  const { name } = node;
  return (scope) => (Object.hasOwn(scope, name) ? read(scope) : variable());
}

/** Returns the built-in variable that a name reads if the scope does not have the name. */
function variableOfName(node: Name, environment: Environment): (() => unknown) | undefined {
  return node.form === 'plain' ? findVariable(node.name, environment) : undefined;
}

/** Only own members count: `constructor` is not a function of the language. */
function lookUpFunction(name: string, context: CompileContext): ImlFunction | undefined {
  return Object.hasOwn(context.functions, name) ? context.functions[name] : undefined;
}

/** Whether a call evaluates only the branches it needs: `if` and `ifempty`, unless the app replaces them. */
function isLazy(name: string, fn: ImlFunction | undefined): boolean {
  if (name !== 'if' && name !== 'ifempty') return false;
  return fn === undefined || fn === GENERAL_FUNCTIONS[name];
}

/** Maximum number of arguments of a call. They are passed on the call stack. [choice] */
const MAX_ARGUMENTS = 100_000;

/** Closures evaluate on the call stack, which the caller may already have used in part. */
const MAX_HEIGHT = 256;

/**
 * Compiles a tree to nested closures. Each operator has its own closures, because an indirect call costs more than the
 * operation itself. No closure keeps the tree, to save memory.
 *
 * @returns for a tree higher than 256, a function that throws `IML_LIMIT` with the location of the expression
 */
export function compileExpression(node: Expression, context: CompileContext): Evaluate {
  return node.height > MAX_HEIGHT ? refuseDepth(node, context) : compileNested(node, context);
}

function refuseDepth({ start }: Expression, { source, pointer }: CompileContext): Evaluate {
  return () => {
    throw new ImlError(
      'IML_LIMIT',
      `The expression is nested too deeply: expected at most ${MAX_HEIGHT} levels.`,
      {
        kind: 'limit',
        source,
        offset: start,
        place: { pointer },
      },
    );
  };
}

function compileNested(node: Expression, context: CompileContext): Evaluate {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'keyword':
      return keywordReader(node.name);
    case 'name':
      return nameReader(node, context.environment);
    case 'member':
      return compileMember(node, context);
    case 'index':
      return compileIndex(node, context);
    case 'call':
      return compileCall(node, context);
    case 'unary':
      return compileUnary(node, context);
    case 'binary':
      return compileBinary(node, context);
    case 'list':
      return () => null;
    default:
      return assertNever(node);
  }
}

function compileMember(node: Member, context: CompileContext): Evaluate {
  const names = pathNames(node, context.environment);
  if (names !== undefined) return scopePathReader(names);
  const object = compileNested(node.object, context);
  const read = memberReader(node.name);
  return (scope) => read(object(scope));
}

/** Lists the names of a path that starts at a name of the scope and has only member steps; undefined for any other. */
function pathNames(node: Member, environment: Environment): readonly string[] | undefined {
  let root = node.object;
  let length = 2;
  for (; root.kind === 'member'; root = root.object) length++;
  if (root.kind !== 'name' || variableOfName(root, environment) !== undefined) return undefined;
  // Most paths have two or three names. Array literals have no spare capacity.
  if (length === 2) return [root.name, node.name];
  if (length === 3 && node.object.kind === 'member') return [root.name, node.object.name, node.name];
  const names: string[] = [];
  for (let step: Expression = node; step.kind === 'member'; step = step.object) names.push(step.name);
  names.push(root.name);
  return names.reverse();
}

function compileIndex(node: Index, context: CompileContext): Evaluate {
  const object = compileNested(node.object, context);
  // `a[]` is the first item. Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc]
  if (node.index === undefined) return (scope) => readFirst(object(scope));
  const index = compileNested(node.index, context);
  return (scope) => readIndex(object(scope), index(scope));
}

function compileUnary(node: Unary, context: CompileContext): Evaluate {
  const operand = compileNested(node.operand, context);
  if (node.operator === '!') return (scope) => !isTruthy(operand(scope));
  if (node.operand.kind === 'literal') {
    const value = -toArithmetic(node.operand.value);
    return () => value;
  }
  return (scope) => -toArithmetic(operand(scope));
}

function compileBinary(node: Binary, context: CompileContext): Evaluate {
  const left = compileNested(node.left, context);
  const right = compileNested(node.right, context);
  const { operator } = node;
  switch (operator) {
    case '&':
      return (scope) => {
        const value = left(scope);
        return isTruthy(value) ? right(scope) : value;
      };
    case '|':
      return (scope) => {
        const value = left(scope);
        return isTruthy(value) ? value : right(scope);
      };
    case '+':
      return (scope) => add(left(scope), right(scope));
    case '-':
      return (scope) => toDifference(left(scope)) - toDifference(right(scope));
    case '++':
      return (scope) => toDifference(left(scope)) + toDifference(right(scope));
    case '*':
    case '/':
    case '%': {
      const compute = DECIMAL[operator];
      if (node.right.kind !== 'literal') {
        return (scope) => compute(toArithmetic(left(scope)), toArithmetic(right(scope)));
      }
      const constant = toArithmetic(node.right.value);
      return (scope) => compute(toArithmetic(left(scope)), constant);
    }
    case '=':
    case '!=': {
      const equal = equality(context.environment);
      return operator === '='
        ? (scope) => equal(left(scope), right(scope))
        : (scope) => !equal(left(scope), right(scope));
    }
    default:
      return compileRelation(operator, left, right, relation(operator, context.environment.timezone));
  }
}

/** Compares two numbers inline and other values with `otherwise`. */
function compileRelation(
  operator: Relation,
  left: Evaluate,
  right: Evaluate,
  otherwise: BinaryOperation,
): Evaluate {
  switch (operator) {
    case '<':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return typeof a === 'number' && typeof b === 'number' ? a < b : otherwise(a, b);
      };
    case '<=':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return typeof a === 'number' && typeof b === 'number' ? a <= b : otherwise(a, b);
      };
    case '>':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return typeof a === 'number' && typeof b === 'number' ? a > b : otherwise(a, b);
      };
    case '>=':
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return typeof a === 'number' && typeof b === 'number' ? a >= b : otherwise(a, b);
      };
  }
}

/** `if` and `ifempty` evaluate only the branch they need. [app] */
function compileCall(node: Call, context: CompileContext): Evaluate {
  const fn = lookUpFunction(node.name, context);
  const rewritten = fn && compileRewritten(fn, node, context);
  if (rewritten !== undefined) return rewritten;
  const args = compileArguments(node.args, context);
  if (isLazy(node.name, fn)) {
    return node.name === 'if' ? compileIf(args, node, context) : compileIfEmpty(args, node, context);
  }
  if (node.args.length > MAX_ARGUMENTS) return refuseArguments(node, context);
  if (fn !== undefined) return compileApplication(fn, args, node, context);
  const { name, start } = node;
  return () => {
    throw makeUnknownFunctionError(name, context.functions, context, start);
  };
}

/** Compiles a call whose first argument is a call if the pair has a faster equivalent: `formatDate(parseDate(...))`. */
function compileRewritten(fn: ImlFunction, node: Call, context: CompileContext): Evaluate | undefined {
  const [first, ...others] = node.args;
  if (first?.kind !== 'call') return undefined;
  const rewrite = findRewrite(fn, lookUpFunction(first.name, context));
  if (rewrite === undefined || Math.max(node.args.length, first.args.length) > MAX_REWRITTEN_ARGUMENTS) {
    return undefined;
  }
  const inner = compileApplication(rewrite.inner, compileArguments(first.args, context), first, context);
  return compileApplication(rewrite.outer, [inner, ...compileArguments(others, context)], node, context);
}

function compileArguments(args: Call['args'], context: CompileContext): Evaluate[] {
  return args.map((arg) => (arg === undefined ? ABSENT : compileNested(arg, context)));
}

function refuseArguments({ name, start }: Call, context: CompileContext): Evaluate {
  return () => {
    const error = limitError(`Too many arguments: expected at most ${MAX_ARGUMENTS}.`);
    throw wrapCallError(error, name, context, start);
  };
}

const ABSENT: Evaluate = () => undefined;

function compileIf(args: readonly Evaluate[], { name, start }: Call, context: CompileContext): Evaluate {
  const first = args[0] ?? ABSENT;
  const then = args[1] ?? ABSENT;
  const otherwise = args[2] ?? ABSENT;
  const condition =
    context.environment.reportsBranches === true ? reportBranch(first, start, context) : first;
  return (scope) => {
    try {
      return isTruthy(condition(scope)) ? then(scope) : otherwise(scope);
    } catch (error) {
      throw wrapCallError(error, name, context, start);
    }
  };
}

/** Wraps the condition of an `if` to report the chosen branch to the listener of the scope. */
function reportBranch(condition: Evaluate, offset: number, { pointer }: CompileContext): Evaluate {
  return (scope) => {
    const value = condition(scope);
    readScopeListener(scope)?.onBranch?.({ pointer, offset, isTrue: isTruthy(value) });
    return value;
  };
}

function compileIfEmpty(args: readonly Evaluate[], { name, start }: Call, context: CompileContext): Evaluate {
  const first = args[0] ?? ABSENT;
  const fallback = args[1] ?? ABSENT;
  return (scope) => {
    try {
      const value = first(scope);
      return isEmpty(value) ? fallback(scope) : value;
    } catch (error) {
      throw wrapCallError(error, name, context, start);
    }
  };
}

/** Compiles a call. Each number of arguments has its own closure, because an argument array costs more than the call. */
function compileApplication(
  fn: ImlFunction,
  args: readonly Evaluate[],
  { name, start }: Call,
  context: CompileContext,
): Evaluate {
  const { environment } = context;
  const first = args[0] ?? ABSENT;
  const second = args[1] ?? ABSENT;
  const third = args[2] ?? ABSENT;
  if (acceptsDebug(fn)) {
    return (scope) => {
      try {
        return fn(environmentFor(scope, environment), ...args.map((arg) => arg(scope)));
      } catch (error) {
        throw wrapCallError(error, name, context, start);
      }
    };
  }
  switch (args.length) {
    case 1:
      return (scope) => {
        try {
          return fn(environment, first(scope));
        } catch (error) {
          throw wrapCallError(error, name, context, start);
        }
      };
    case 2:
      return (scope) => {
        try {
          return fn(environment, first(scope), second(scope));
        } catch (error) {
          throw wrapCallError(error, name, context, start);
        }
      };
    case 3:
      return (scope) => {
        try {
          return fn(environment, first(scope), second(scope), third(scope));
        } catch (error) {
          throw wrapCallError(error, name, context, start);
        }
      };
    default:
      return (scope) => {
        try {
          return fn(environment, ...args.map((arg) => arg(scope)));
        } catch (error) {
          throw wrapCallError(error, name, context, start);
        }
      };
  }
}

type BinaryOperation = (left: unknown, right: unknown) => unknown;
type Equality = (left: unknown, right: unknown) => boolean;

/** Returns the comparison of `=` and `!=`. `sameText` of the environment compares two texts, if it is set. */
function equality({ semantics, sameText }: Environment): Equality {
  const equal = semantics === 'documented' ? isEqual : looselyEqual;
  if (sameText === undefined) return equal;
  return (left, right) =>
    typeof left === 'string' && typeof right === 'string' ? sameText(left, right) : equal(left, right);
}

/**
 * Adds numbers, or concatenates if an operand is not numeric. A missing operand is ignored. [doc][choice]
 *
 * @throws ImlError `IML_LIMIT` for a text that is too long
 */
function add(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return DECIMAL['+'](left, right);
  if (left === undefined || left === null) return right ?? null;
  if (right === undefined || right === null) return left;
  if (isNumeric(left) && isNumeric(right)) return DECIMAL['+'](Number(left), Number(right));
  return limitedText(toText(left) + toText(right));
}

function isNumeric(value: unknown): value is number | Date {
  return typeof value === 'number' || value instanceof Date;
}

/** Strict equality of `semantics: 'documented'`. Null equals undefined; dates are equal by instant. [doc][choice] */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === undefined || left === null) return right === undefined || right === null;
  return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
}

/**
 * Equality of Make's runtime, which is `==` of JavaScript: a number equals its text, a boolean counts as a number and an
 * array as the text of its items. Dates are equal by instant. [rt]
 */
function looselyEqual(left: unknown, right: unknown): boolean {
  if (isEqual(left, right)) return true;
  if (typeof left === typeof right) return false;
  const a = toScalar(left);
  const b = toScalar(right);
  // biome-ignore lint/suspicious/noDoubleEquals: the rule of Make's runtime is that of JavaScript.
  return a !== undefined && b !== undefined && a == b;
}

/** Converts an operand of `==` to a scalar; undefined for a value that equals no scalar. */
function toScalar(value: unknown): Comparable | undefined {
  return Array.isArray(value) ? toText(value) : isScalar(value) ? value : undefined;
}

function isScalar(value: unknown): value is Comparable {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

type Comparable = string | number | boolean;

type Relation = '<' | '<=' | '>' | '>=';

function relation(operator: Relation, timezone: string): BinaryOperation {
  const holds = RELATIONS[operator];
  return (left, right) => {
    const a = comparable(left, right, timezone);
    const b = comparable(right, left, timezone);
    if (a === undefined || b === undefined) return false;
    return holds(a, b);
  };
}

const RELATIONS: Readonly<Record<Relation, (a: Comparable, b: Comparable) => boolean>> = {
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

/**
 * Converts an operand of a relation; undefined makes the relation false. Text is parsed as a date if the other operand is
 * a date. [app] Collections and arrays are not comparable. [inf]
 */
function comparable(value: unknown, other: unknown, timezone: string): Comparable | undefined {
  if (value === null) return 0;
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' && other instanceof Date) return readDate(value, timezone)?.getTime();
  return isScalar(value) ? value : undefined;
}

export type DecimalOperator = '+' | '*' | '/' | '%';

/**
 * Decimal arithmetic, so that 0.1 + 0.2 is 0.3, with 20 significant digits, the default of decimal.js. Integers and
 * numbers with few decimals are computed exactly as scaled integers, which is much faster.
 */
const DECIMAL: Readonly<Record<DecimalOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => {
    const sum = left + right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(sum)) return sum;
    const scale = commonScale(left, right);
    const scaled = scale === undefined ? Number.NaN : Math.round(left * scale) + Math.round(right * scale);
    return Number.isSafeInteger(scaled) ? scaled / (scale ?? 1) : compute('+', left, right);
  },
  '*': (left, right) => {
    const product = left * right;
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(product)) {
      return product;
    }
    const leftScale = scaleOf(left);
    const rightScale = scaleOf(right);
    if (leftScale === undefined || rightScale === undefined) return compute('*', left, right);
    const scaled = Math.round(left * leftScale) * Math.round(right * rightScale);
    return Number.isSafeInteger(scaled) ? scaled / (leftScale * rightScale) : compute('*', left, right);
  },
  '/': (left, right) => {
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left / right;
    const scale = commonScale(left, right);
    return scale === undefined
      ? compute('/', left, right)
      : Math.round(left * scale) / Math.round(right * scale);
  },
  '%': (left, right) => {
    if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return remainder(left, right);
    const scale = commonScale(left, right);
    return scale === undefined
      ? compute('%', left, right)
      : remainder(Math.round(left * scale), Math.round(right * scale)) / scale;
  },
};

/** Minus zero only for a dividend of minus zero, as in decimal.js. */
function remainder(left: number, right: number): number {
  return left === 0 ? left % right : (left % right) + 0;
}

/** Scales of the fast path. decimal.js computes numbers with more decimals. */
const SCALES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Integers below this limit have at most 15 digits, so each decimal number of that length is a distinct double. */
const MAX_SCALED = 1e15;

/** Returns the smallest scale that makes a number an integer; undefined if no scale does. */
function scaleOf(number: number): number | undefined {
  for (const scale of SCALES) {
    const scaled = Math.round(number * scale);
    if (scaled / scale === number) return Math.abs(scaled) < MAX_SCALED ? scale : undefined;
  }
  return undefined;
}

function commonScale(left: number, right: number): number | undefined {
  const leftScale = scaleOf(left);
  const rightScale = scaleOf(right);
  if (leftScale === undefined || rightScale === undefined) return undefined;
  const scale = Math.max(leftScale, rightScale);
  return Math.abs(left * scale) < MAX_SCALED && Math.abs(right * scale) < MAX_SCALED ? scale : undefined;
}

/** A clone with default settings, because all packages of a process share the settings of `Decimal`. */
const Numbers = Decimal.clone({ defaults: true });

function compute(operator: DecimalOperator, left: number, right: number): number {
  const [a, b] = [new Numbers(left), new Numbers(right)];
  switch (operator) {
    case '+':
      return a.plus(b).toNumber();
    case '*':
      return a.times(b).toNumber();
    case '/':
      return a.dividedBy(b).toNumber();
    case '%':
      return a.modulo(b).toNumber();
  }
}
