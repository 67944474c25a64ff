import { MAX_HASHED_LENGTH } from '../../iml/values/long-text-key.js';

/**
 * Names a collection of a body may have. JavaScript can neither list the names of a collection in parts nor let its table of
 * them grow in parts, so that others wait for either: 20 ms or so for as many as these, 300 for a million. [choice]
 */
export const MAX_NAMES = 100_000;

/**
 * Values a document may have, of all its lists and collections: the longest list is copied as a whole whenever it grows, and
 * the engine's collector goes through all of them at once in the end, 20 to 50 ms for as many as these. [choice]
 */
export const MAX_VALUES = 3_000_000;

/**
 * Characters of a name. The host hashes longer ones by their length alone, and looks a thousand of one length up in seconds;
 * no API is known that has them. [choice]
 */
export const MAX_NAME_LENGTH: number = MAX_HASHED_LENGTH;

/** What is wrong with a longer name. */
export function tooLongName(): string {
  return `a name of more than ${MAX_NAME_LENGTH} characters`;
}

/** What is wrong with a document of more. */
export function tooManyValues(): string {
  return `more than ${MAX_VALUES} values`;
}

/** What is wrong with a collection of more. */
export function tooManyNames(): string {
  return `more than ${MAX_NAMES} names in a collection`;
}
