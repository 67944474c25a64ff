import { type ImlError, limitError } from '../../errors/iml-error.js';
import type { SourcePlace } from '../environment/call-error.js';
import type { Environment, FunctionTable, ImlFunction, Scope } from '../environment/environment.js';
import { readScopeListener } from '../environment/scope-listener.js';
import { findVariable } from '../environment/variables.js';
import { GENERAL_FUNCTIONS } from '../functions/general.js';
import type { Name } from '../syntax/ast.js';
import { KEYWORDS } from '../syntax/keywords.js';
import { isTruthy } from '../values/coerce.js';
import { scopePathReader } from '../values/scope-path.js';

/**
 * An expression or template made ready: gives its value for a scope. Below the outermost one the scope is known to be
 * plain: `compileTemplate` has seen to that.
 */
export type Evaluate = (scope: Scope) => unknown;

/** What compiling needs to know besides the tree. */
export interface CompileContext extends SourcePlace {
  readonly environment: Environment;
  readonly functions: FunctionTable;
}

export function keywordReader(name: string): Evaluate {
  if (name === 'emptyarray') return () => [];
  const value = KEYWORDS.get(name);
  return () => value;
}

/** A name of the scope wins over a built-in variable; a quoted name is never a variable. [choice] */
export function nameReader(node: Name, environment: Environment): Evaluate {
  const read = scopePathReader([node.name]);
  const variable = variableOfName(node, environment);
  if (variable === undefined) return read;
  const { name } = node;
  return (scope) => (Object.hasOwn(scope, name) ? read(scope) : variable());
}

/** What the name stands for where the scope does not have it. */
export function variableOfName(node: Name, environment: Environment): (() => unknown) | undefined {
  return node.form === 'plain' ? findVariable(node.name, environment) : undefined;
}

/** Own members of the table only: `constructor` is no function of the language. */
export function lookUpFunction(name: string, context: CompileContext): ImlFunction | undefined {
  return Object.hasOwn(context.functions, name) ? context.functions[name] : undefined;
}

/**
 * Whether a call evaluates only the branches it needs: `if` and `ifempty`, unless an app has a function of that name.
 */
export function isLazy(name: string, fn: ImlFunction | undefined): boolean {
  if (name !== 'if' && name !== 'ifempty') return false;
  return fn === undefined || fn === GENERAL_FUNCTIONS[name];
}

/** Arguments of one call: they are passed on the host's stack. [choice] */
export const MAX_ARGUMENTS = 100_000;

export function tooManyArguments(): ImlError {
  return limitError(`A call has more than the ${MAX_ARGUMENTS} arguments it may have.`);
}

/** Tells which side an `if` that is observed chooses by the value of its condition, and gives that. */
export function branchReporter(
  offset: number,
  { pointer }: CompileContext,
): (condition: unknown, scope: Scope) => unknown {
  return (condition, scope) => {
    readScopeListener(scope)?.onBranch?.({ pointer, offset, isYes: isTruthy(condition) });
    return condition;
  };
}
