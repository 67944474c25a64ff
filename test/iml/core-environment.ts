import { functionError } from '../../src/errors/iml-error.js';
import type { CompileContext } from '../../src/iml/compile/compile-expression.js';
import type { FunctionTable } from '../../src/iml/environment/environment.js';
import { ENVIRONMENT } from './functions/call-function.js';
import { Failure, type ReferenceContext } from './reference-evaluator.js';

/** Functions that show what calls do: give back, count what arrived, fail. */
const FUNCTIONS: FunctionTable = {
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
