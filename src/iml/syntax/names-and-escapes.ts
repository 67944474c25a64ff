/** What may follow a backslash in a string literal, and what the pair means. [choice] */
export const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const DIGITS = /^[0-9]+$/;

/** Whether a name can be written without backticks. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}_$][\p{L}\p{M}\p{Nd}_$]*$/u.test(name);
}

/** Whether a path segment counts items (`list.2`) where it meets an array. */
export function isDigits(name: string): boolean {
  return DIGITS.test(name);
}
