/**
 * Removes the given characters from the end of a text. A pattern such as `/ +$/` takes quadratic time on a long run
 * inside.
 */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Compares two texts in constant time, to prevent timing attacks on secrets. */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

/**
 * Returns a JSON parser's message without the quoted piece of text, which may be a secret. Engines quote differently:
 * `Unexpected token '<', "<html>" is not valid JSON`, `Unexpected token < in JSON at position 0`.
 */
export function jsonProblem(error: SyntaxError): string {
  return error.message.replace(/, (?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/, ' is not valid JSON');
}

/** The value of a parsed text, or what is wrong with it. */
export type ParseResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  /** `message` describes the problem without any text that may be secret. */
  | { readonly ok: false; readonly message: string };
