import type { CompileContext } from '../../src/language/compile/compile-expression.js';
import type { ImlFunction } from '../../src/language/index.js';
import { functionError } from '../../src/shared/errors/iml-error.js';
import { ENVIRONMENT } from './functions/call-function.js';
import { Failure, type ReferenceContext } from './reference-evaluator.js';

/** Functions that return their argument, count their arguments, or fail. */
export const FUNCTIONS: Readonly<Record<string, ImlFunction>> = {
  same: (_, value) => value,
  count: (_, ...args) => args.length,
  fail: () => {
    throw functionError('No.');
  },
};

export const REFERENCE_FUNCTIONS: ReferenceContext['functions'] = {
  same: (value) => value,
  count: (...args) => args.length,
  fail: () => {
    throw new Failure('function-error', 'No.');
  },
};

export function contextOf(source: string): CompileContext {
  return { environment: ENVIRONMENT, functions: FUNCTIONS, pointer: '', source };
}
