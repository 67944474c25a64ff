import { ImlError } from '../../errors/iml-error.js';
import { assertNever } from '../../util/plain-object.js';
import { makeUnknownFunctionError, wrapCallError } from '../environment/call-error.js';
import { findRewrite, MAX_REWRITTEN_ARGUMENTS } from '../environment/call-rewrites.js';
import { acceptsDebug, environmentFor } from '../environment/debug-hook.js';
import type { Environment, ImlFunction } from '../environment/environment.js';
import type { Binary, Call, Expression, Index, Member, Unary } from '../syntax/ast.js';
import { isEmpty, isTruthy, toArithmetic, toDifference } from '../values/coerce.js';
import { memberReader, readFirst, readIndex } from '../values/path.js';
import { scopePathReader } from '../values/scope-path.js';
import {
  branchReporter,
  type CompileContext,
  type Evaluate,
  isLazy,
  keywordReader,
  lookUpFunction,
  MAX_ARGUMENTS,
  nameReader,
  tooManyArguments,
  variableOfName,
} from './compile-primary.js';
import { DECIMAL } from './decimal.js';
import { add, type BinaryOperation, equality, type Relation, relation } from './operations.js';

/** Evaluating closures uses the host's call stack, and the caller may already be deep in it. */
const MAX_HEIGHT = 256;

/**
 * Compiles a tree to nested closures. Paths, arithmetic, comparisons and calls have closures of their own: a call through
 * a variable costs more than the operation itself. No closure keeps the tree, to save memory.
 *
 * @returns for a tree higher than 256, a function that throws `IML_LIMIT` with the location of the expression
 */
export function compileExpression(node: Expression, context: CompileContext): Evaluate {
  return node.height > MAX_HEIGHT ? refuseDepth(node, context) : compileNested(node, context);
}

function refuseDepth({ start }: Expression, { source, pointer }: CompileContext): Evaluate {
  return () => {
    throw new ImlError('IML_LIMIT', `An expression can nest at most ${MAX_HEIGHT} levels.`, {
      kind: 'limit',
      source,
      offset: start,
      place: { pointer },
    });
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

/** The names of a path that starts at a name of the scope and has no other steps than members. */
export function pathNames(node: Member, environment: Environment): readonly string[] | undefined {
  let root = node.object;
  let length = 2;
  for (; root.kind === 'member'; root = root.object) length++;
  if (root.kind !== 'name' || variableOfName(root, environment) !== undefined) return undefined;
  // Most paths have two or three names; these lists are made without spare capacity.
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

/** Two numbers are compared on the spot, anything else by the operator's rule. */
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
  if (fn !== undefined) return applied(fn, args, node, context);
  const { name, start } = node;
  return () => {
    throw makeUnknownFunctionError(name, context.functions, context, start);
  };
}

/** A call whose first argument is a call, where the two have a shorter way, as `formatDate(parseDate(...))` has. */
function compileRewritten(fn: ImlFunction, node: Call, context: CompileContext): Evaluate | undefined {
  const [first, ...others] = node.args;
  if (first?.kind !== 'call') return undefined;
  const rewrite = findRewrite(fn, lookUpFunction(first.name, context));
  if (rewrite === undefined || Math.max(node.args.length, first.args.length) > MAX_REWRITTEN_ARGUMENTS) {
    return undefined;
  }
  const inner = applied(rewrite.inner, compileArguments(first.args, context), first, context);
  return applied(rewrite.outer, [inner, ...compileArguments(others, context)], node, context);
}

function compileArguments(args: Call['args'], context: CompileContext): Evaluate[] {
  return args.map((arg) => (arg === undefined ? ABSENT : compileNested(arg, context)));
}

function refuseArguments({ name, start }: Call, context: CompileContext): Evaluate {
  return () => {
    throw wrapCallError(tooManyArguments(), name, context, start);
  };
}

const ABSENT: Evaluate = () => undefined;

function compileIf(args: readonly Evaluate[], { name, start }: Call, context: CompileContext): Evaluate {
  const asked = args[0] ?? ABSENT;
  const then = args[1] ?? ABSENT;
  const otherwise = args[2] ?? ABSENT;
  const condition = context.environment.reportsBranches === true ? reported(asked, start, context) : asked;
  return (scope) => {
    try {
      return isTruthy(condition(scope)) ? then(scope) : otherwise(scope);
    } catch (error) {
      throw wrapCallError(error, name, context, start);
    }
  };
}

/** The condition of an `if` that is observed. */
function reported(condition: Evaluate, offset: number, context: CompileContext): Evaluate {
  const report = branchReporter(offset, context);
  return (scope) => report(condition(scope), scope);
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

/** One closure shape for each number of arguments: a list of arguments costs more than the call. */
function applied(
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
