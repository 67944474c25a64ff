import { APP_ERROR_TYPES, type AppErrorType } from '../../errors/app-error.js';
import { functionError, limitError } from '../../errors/iml-error.js';
import { isCaseless } from '../../util/plain-object.js';
import { jsonProblem } from '../../util/text.js';
import type { FunctionTable } from '../environment/environment.js';
import { isEmpty, isMissing, isTruthy, toText } from '../values/coerce.js';
import { filterMembers, isCollection } from '../values/collection.js';
import { createEqualityKey } from '../values/identity.js';
import { getPath, readIndex } from '../values/path.js';
import { writeJson } from '../values/tree-text.js';
import { asCollection, onText } from './arguments.js';

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

/** What `errorFactory` gives: plain data, so that custom functions can return it. As `response.error` it is the error. */
export interface ErrorValue {
  readonly name: AppErrorType;
  readonly message: string;
}

/** @throws ImlError `IML_FUNCTION` for a type that the platform does not have */
export function createErrorValue(type: unknown, message: unknown): ErrorValue {
  const name = APP_ERROR_TYPES.find((known) => known === type);
  if (name !== undefined) return { name, message: isMissing(message) ? '' : toText(message) };
  throw functionError(`Unknown error type. Expected one of ${APP_ERROR_TYPES.join(', ')}.`);
}

/** The error that a value describes; undefined for any other value. */
export function readErrorValue(value: unknown): ErrorValue | undefined {
  if (!isCollection(value) || !Object.hasOwn(value, 'name') || !Object.hasOwn(value, 'message'))
    return undefined;
  const name = APP_ERROR_TYPES.find((known) => known === value['name']);
  const message = value['message'];
  return name !== undefined && typeof message === 'string' ? { name, message } : undefined;
}

/**
 * What the app runtime adds to the functions of the mapper.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions.
 */
export const JSON_FUNCTIONS: FunctionTable = {
  // Undefined has no JSON text: a member that would hold it is left out. [inf]
  createJSON: (_, value) =>
    value === undefined || typeof value === 'function' ? undefined : writeJson(value),

  parseJSON: onText((text) => {
    try {
      return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch (error) {
      if (error instanceof RangeError) throw limitError('The JSON is nested too deeply.');
      // Without the parser's own error as cause: it quotes the text, which may be a secret.
      const problem = error instanceof SyntaxError ? jsonProblem(error) : 'unreadable';
      throw functionError(`Invalid JSON: ${problem}`);
    }
  }),
};
