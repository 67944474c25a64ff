import { APP_ERROR_TYPES, type AppErrorType } from '../../shared/errors/app-error.js';
import { functionError, limitError } from '../../shared/errors/iml-error.js';
import { isCaseless } from '../../shared/plain-object.js';
import { jsonProblem } from '../../shared/text.js';
import { createEqualityKey } from '../values/identity.js';
import { getPath, readIndex } from '../values/path.js';
import { writeJson } from '../values/tree-text.js';
import { filterMembers, isCollection, isEmpty, isMissing, isTruthy, toText } from '../values/value.js';
import { asCollection, onText } from './arguments.js';
import type { FunctionsIn } from './signatures.js';

/**
 * `if` and `ifempty` receive evaluated arguments here, for calls from custom functions. In an expression the compiler
 * evaluates only the branch that is needed.
 * Source: https://help.make.com/general-functions.
 */
export const GENERAL_FUNCTIONS: FunctionsIn<'general'> = {
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

  // Compares collections and arrays by content, while the operator `=` compares references. [inf]
  equal: (_, left, right) => {
    const keyOf = createEqualityKey();
    return left === right || keyOf(left) === keyOf(right);
  },

  // The JSON functions exist in apps, but not in the mapping panel of a scenario.
  // Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions.

  // Undefined has no JSON text: the member is omitted. [inf]
  createJSON: (_, value) =>
    value === undefined || typeof value === 'function' ? undefined : writeJson(value),

  parseJSON: onText((text) => {
    try {
      return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch (error) {
      if (error instanceof RangeError) throw limitError('The JSON is nested too deeply.');
      // The message is the parser's, as on Make. [app] Without the text that it quotes, and without `cause`: the text may be a
      // secret.
      throw functionError(error instanceof SyntaxError ? jsonProblem(error) : 'The JSON is not readable.');
    }
  }),
};

function choose(text: string, cases: readonly unknown[]): unknown {
  for (let index = 0; index + 1 < cases.length; index += 2) {
    if (toText(cases[index]) === text) return cases[index + 1];
  }
  return cases.length % 2 === 1 ? cases.at(-1) : undefined;
}

/** Collects names that are separate arguments or arrays. */
function namesIn(args: readonly unknown[], caseless: boolean): Set<string> {
  const names = args.flatMap((arg) => (Array.isArray(arg) ? arg.map(toText) : [toText(arg)]));
  return new Set(caseless ? names.map((name) => name.toLowerCase()) : names);
}

/** Result of `errorFactory`: plain data, so that custom functions can return it. The app uses it as `response.error`. */
export interface ErrorValue {
  readonly name: AppErrorType;
  readonly message: string;
}

/** @throws ImlError `IML_FUNCTION` for an unknown error type */
function createErrorValue(type: unknown, message: unknown): ErrorValue {
  const name = APP_ERROR_TYPES.find((each) => each === type);
  if (name !== undefined) return { name, message: isMissing(message) ? '' : toText(message) };
  throw functionError(`Unknown error type. Expected one of ${APP_ERROR_TYPES.join(', ')}.`);
}

/** Returns a value as an error value; undefined if it is not one. */
export function readErrorValue(value: unknown): ErrorValue | undefined {
  if (!isCollection(value) || !Object.hasOwn(value, 'name') || !Object.hasOwn(value, 'message'))
    return undefined;
  const name = APP_ERROR_TYPES.find((each) => each === value['name']);
  const message = value['message'];
  return name !== undefined && typeof message === 'string' ? { name, message } : undefined;
}
