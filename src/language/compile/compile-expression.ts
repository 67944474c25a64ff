import { ImlError, limitError } from '../../shared/errors/iml-error.js';
import { assertNever } from '../../shared/plain-object.js';
import { makeUnknownFunctionError, type TemplateLocation, wrapCallError } from '../environment/call-error.js';
import { findRewrite, MAX_REWRITTEN_ARGUMENTS } from '../environment/call-rewrites.js';
import {
  type Environment,
  type FunctionTable,
  findVariable,
  type ImlFunction,
  type Scope,
} from '../environment/environment.js';
import { acceptsDebug, environmentFor, readScopeListener } from '../environment/scope-listener.js';
import { GENERAL_FUNCTIONS } from '../functions/general.js';
import type { Binary, Call, Expression, Index, Member, Name, Unary } from '../syntax/ast.js';
import { KEYWORDS } from '../syntax/grammar.js';
import { isEmpty, isTruthy, toArithmetic, toDifference } from '../values/coerce.js';
import { memberReader, readFirst, readIndex, scopePathReader } from '../values/path.js';
import { add, type BinaryOperation, DECIMAL, equality, type Relation, relation } from './operations.js';

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
export function pathNames(node: Member, environment: Environment): readonly string[] | undefined {
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
