/**
 * Names a collection of a body may have. JavaScript can neither list the names of a collection in parts nor let its table of
 * them grow in parts, so that others wait for either: 20 ms or so for as many as these, 300 for a million. [choice]
 */
export const MAX_NAMES = 100_000;

/** What is wrong with a collection of more. */
export function tooManyNames(): string {
  return `more than ${MAX_NAMES} names in a collection`;
}
