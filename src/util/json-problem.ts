/**
 * What the parser says is wrong with a JSON text, without the piece of the text it quotes: that may be a secret.
 * Older and newer engines quote differently: `Unexpected token '<', "<html>" is not valid JSON`,
 * `Unexpected token < in JSON at position 0`.
 */
export function jsonProblem(error: SyntaxError): string {
  return error.message.replace(/, (?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON$/, ' is not valid JSON');
}
