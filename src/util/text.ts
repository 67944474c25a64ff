/** The text without the given characters at its end. A pattern such as `/ +$/` takes quadratic time on a long run inside. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Whether two texts are the same, in a time that depends on their length only.
 * Whoever compares a secret with what a stranger sent must not stop at the first difference: how long it took would
 * tell how much was right.
 */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

/**
 * What the parser says is wrong with a JSON text, without the piece of the text it quotes: that may be a secret.
 * Older and newer engines quote differently: `Unexpected token '<', "<html>" is not valid JSON`,
 * `Unexpected token < in JSON at position 0`.
 */
export function jsonProblem(error: SyntaxError): string {
  return error.message.replace(/, (?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/, ' is not valid JSON');
}
