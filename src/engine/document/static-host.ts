import type { Expression } from '../../language/syntax/ast.js';
import { parseTemplate } from '../../language/syntax/parser.js';

/** The literal part of a URL's server, without expressions. */
interface StaticServer {
  readonly scheme: 'http' | 'https';
  /** The host with its port, if any; after an expression, its literal suffix (`.example.com`). */
  readonly host: string;
  readonly isWhole: boolean;
}

/** Scheme and authority of a URL. Expressions are replaced by a character that ends neither. */
const AUTHORITY = /(https?):\/\/([^\s/?#"'\\<>`|,;)]+)/gi;

/** Lists the servers of all URLs in a text. */
export function listStaticServers(text: string): readonly StaticServer[] {
  const written = text.replace(/\{\{.*?\}\}/gs, '\u0000');
  return [...written.matchAll(AUTHORITY)].map(([, scheme = '', authority = '']) => {
    const host = authority.replace(/^[^@]*@/, '').toLowerCase();
    const known = host.slice(host.lastIndexOf('\u0000') + 1);
    return {
      scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https',
      host: known,
      isWhole: known === host,
    };
  });
}

/**
 * Whether the URL of an evaluated template is on the server written in the template. An expression inside of the host
 * (`https://{{connection.shop}}.example.com`) may insert another host.
 */
export function isOnStaticServer(template: unknown, { hostname, port, protocol }: URL): boolean {
  if (typeof template !== 'string' || !/^\s*https?:\/\//i.test(template)) return true;
  const [server] = listStaticServers(template);
  if (server === undefined || server.host === '') return true;
  const withPort = `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
  return [hostname, withPort].some((host) =>
    server.isWhole ? host === server.host : host.endsWith(server.host),
  );
}

/** Placeholder for a plain value. Not a character that ends an authority. */
const VALUE = '\u0000';

/** A URL whose server, or whose host, is a single value, optionally with a port. */
const INPUT_HOST = new RegExp(`^(?:${VALUE}|https?://${VALUE}(?::\\d{1,5})?)(?:[/?#]|$)`, 'i');

/**
 * Whether the host of a URL is an input value: `{{connection.url}}/items`, `https://{{connection.host}}:8443`. Any
 * other expression could produce an arbitrary host.
 *
 * @param names variables that hold input
 * @throws ImlError (IML_SYNTAX) if the template does not parse
 */
export function isHostFromInput(address: unknown, names: readonly string[]): boolean {
  if (typeof address !== 'string') return false;
  let written = '';
  for (const part of parseTemplate(address.trimStart()).parts) {
    if (typeof part === 'string') written += part;
    else if (INPUT_HOST.test(written) && /[/?#]/.test(written.replace(/^https?:\/\//i, ''))) break;
    else if (namesValue(part, names)) written += VALUE;
    else return false;
  }
  return INPUT_HOST.test(written);
}

function namesValue(expression: Expression, names: readonly string[]): boolean {
  if (expression.kind === 'member') return namesValue(expression.object, names);
  return expression.kind === 'name' && names.includes(expression.name);
}
