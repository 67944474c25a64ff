import type { RunNames, RunScope } from '../run/scope/run-scope.js';

/** What expressions read, at the start, of the names that a communication fills as it goes. */
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
