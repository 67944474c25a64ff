import { isEngineError } from '../../shared/errors/engine-error.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { didYouMean } from '../../shared/suggest.js';
import type { FunctionTable } from './environment.js';

/** Location of an expression: its template, and the pointer of the template in the compiled value. */
export interface TemplateLocation {
  readonly source: string;
  /** JSON pointer inside the compiled value. */
  readonly pointer: string;
}

const ONLY_MAKE = "Only Make's own runtime has this function.";

/** Hints for unknown function names that apps are likely to use. [app] */
const HINTS: Readonly<Record<string, string>> = {
  and: 'Write a & b.',
  or: 'Write a | b.',
  not: 'Write !a.',
  exists: 'Write ifempty(a; b), or compare with null.',
  json: 'Write createJSON(a).',
  toJSON: 'Write createJSON(a).',
  escapeJSON: 'Write createJSON(a).',
  toNumber: 'Write parseNumber(a).',
  char: 'Write newline, tab, space, carriagereturn or nbsp.',
  set: 'No function writes into a collection.',
  toDataStructure: ONLY_MAKE,
  safeSerialize: ONLY_MAKE,
  getFieldMapping: ONLY_MAKE,
};

/** Creates the error `Function 'x' not found!`, which is Make's wording, with a hint as a property. [app] */
export function makeUnknownFunctionError(
  name: string,
  table: FunctionTable,
  location: TemplateLocation,
  offset: number,
): ImlError {
  const error = new ImlError('IML_UNKNOWN_FUNCTION', `Function '${name}' not found!`, {
    kind: 'unknown-function',
    source: location.source,
    offset,
    place: { pointer: location.pointer },
  });
  error.hint = Object.hasOwn(HINTS, name)
    ? HINTS[name]
    : didYouMean(name, Object.keys(table)).trim() || undefined;
  return error;
}

/**
 * Wraps an error of a call or of one of its arguments: `Function 'if' finished with error! ...`, once for each
 * enclosing call. [app]
 */
export function wrapCallError(
  thrown: unknown,
  name: string,
  location: TemplateLocation,
  offset: number,
): ImlError {
  const inner = asImlError(thrown);
  // A syntax error concerns the whole template and is not wrapped. [choice]
  if (inner.kind === 'syntax') return inner;
  const outer = new ImlError(inner.code, `Function '${name}' finished with error! ${inner.message}`, {
    kind: inner.kind,
    source: inner.source ?? location.source,
    offset: inner.offset ?? offset,
    place: inner.place ?? { pointer: location.pointer },
    cause: inner.cause,
  });
  outer.hint = inner.hint;
  return outer;
}

/** Converts any thrown value to an `ImlError`: evaluation throws nothing else. */
export function asImlError(thrown: unknown): ImlError {
  if (isEngineError(thrown, ImlError)) return thrown;
  if (isFullStack(thrown)) {
    return new ImlError('IML_LIMIT', 'The expression is nested too deeply for the remaining call stack.', {
      kind: 'limit',
      cause: thrown,
    });
  }
  return new ImlError('IML_HOST_VALUE', 'A value of the scope threw an error while it was read.', {
    kind: 'type',
    cause: thrown,
  });
}

/** A thrown proxy may throw again when it is read. */
function isFullStack(thrown: unknown): boolean {
  try {
    return thrown instanceof RangeError && /call stack/i.test(thrown.message);
  } catch {
    return false;
  }
}
