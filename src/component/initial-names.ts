import type { RunNames, RunScope } from '../run/scope/run-scope.js';

/** Initial values of variables that a communication sets. */
export function freshNames(): RunNames & RunScope {
  return {
    temp: {},
    body: undefined,
    headers: undefined,
    statusCode: undefined,
    item: undefined,
    output: undefined,
    iterate: undefined,
    pagination: undefined,
  };
}
