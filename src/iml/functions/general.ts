import { isCaseless } from '../../util/plain-object.js';
import type { FunctionTable } from '../environment/environment.js';
import { isEmpty, isTruthy, toText } from '../values/coerce.js';
import { filterMembers } from '../values/collection.js';
import { createErrorValue } from '../values/error-value.js';
import { createEqualityKey } from '../values/identity.js';
import { getPath, readIndex } from '../values/path.js';
import { asCollection } from './arguments.js';

/**
 * `if` and `ifempty` stand here in the form that gets all arguments evaluated, for calls from custom functions;
 * an expression evaluates only the branch it needs.
 * Source: https://help.make.com/general-functions.
 */
export const GENERAL_FUNCTIONS: FunctionTable = {
  if: (_, condition, whenTrue, whenFalse) => (isTruthy(condition) ? whenTrue : whenFalse),

  errorFactory: (_, type, message) => createErrorValue(type, message),

  ifempty: (_, value, fallback) => (isEmpty(value) ? fallback : value),

  switch: (_, expression, ...cases) => choose(toText(expression), cases),

  get: (_, value, path) => {
    if (isEmpty(path)) return undefined;
    return typeof path === 'number' ? readIndex(value, path) : getPath(value, toText(path));
  },

  omit: (_, value, ...names) => {
    const collection = asCollection(value);
    const omitted = namesIn(names, isCaseless(collection));
    return filterMembers(collection, (name) => !omitted.has(name));
  },

  pick: (_, value, ...names) => {
    const collection = asCollection(value);
    const picked = namesIn(names, isCaseless(collection));
    return filterMembers(collection, (name) => picked.has(name));
  },

  // Collections and arrays are compared by what they hold, where the operator `=` asks for the same one. [inf]
  equal: (_, left, right) => {
    const keyOf = createEqualityKey();
    return left === right || keyOf(left) === keyOf(right);
  },
};

function choose(text: string, cases: readonly unknown[]): unknown {
  for (let index = 0; index + 1 < cases.length; index += 2) {
    if (toText(cases[index]) === text) return cases[index + 1];
  }
  return cases.length % 2 === 1 ? cases.at(-1) : undefined;
}

/** The names given one by one, or as an array of names. */
function namesIn(args: readonly unknown[], caseless: boolean): Set<string> {
  const names = args.flatMap((arg) => (Array.isArray(arg) ? arg.map(toText) : [toText(arg)]));
  return new Set(caseless ? names.map((name) => name.toLowerCase()) : names);
}
