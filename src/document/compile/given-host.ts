import type { Expression } from '../../iml/syntax/ast.js';
import { parseTemplate } from '../../iml/syntax/parser.js';

/** Stands for a value that is named, and is none of the signs that end an authority. */
const VALUE = '\u0000';

/** An address whose server is a value alone, or whose host is one, with its port behind it. */
const GIVEN = new RegExp(`^(?:${VALUE}|https?://${VALUE}(?::\\d{1,5})?)(?:[/?#]|$)`, 'i');

/**
 * Whether the host of an address is a value as somebody gave it: `{{connection.url}}/items`, `https://{{connection.host}}:8443`. An
 * expression that does more than name a value could make any host of it.
 *
 * @param names that values may be read from
 * @throws ImlError (IML_SYNTAX) for what is no template
 */
export function isGivenHost(address: unknown, names: readonly string[]): boolean {
  if (typeof address !== 'string') return false;
  let written = '';
  for (const part of parseTemplate(address.trimStart()).parts) {
    if (typeof part === 'string') written += part;
    else if (GIVEN.test(written) && /[/?#]/.test(written.replace(/^https?:\/\//i, ''))) break;
    else if (namesValue(part, names)) written += VALUE;
    else return false;
  }
  return GIVEN.test(written);
}

function namesValue(expression: Expression, names: readonly string[]): boolean {
  if (expression.kind === 'member') return namesValue(expression.object, names);
  return expression.kind === 'name' && names.includes(expression.name);
}
