/**
 * Values a document may have, of all its lists and collections: the longest list is copied as a whole whenever it grows, and
 * the engine's collector goes through all of them at once in the end, 20 to 50 ms for as many as these. [choice]
 */
export const MAX_VALUES = 3_000_000;

/**
 * Characters of a name. The host hashes longer ones by their length alone, and looks a thousand of one length up in seconds;
 * no API is known that has them. [choice]
 */
export const MAX_NAME_LENGTH = 16_000;

/** What is wrong with a longer name. */
export function tooLongName(): string {
  return `a name of more than ${MAX_NAME_LENGTH} characters`;
}

/** What is wrong with a document of more. */
export function tooManyValues(): string {
  return `more than ${MAX_VALUES} values`;
}
