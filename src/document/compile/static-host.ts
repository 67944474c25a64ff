import type { Expression } from '../../iml/syntax/ast.js';
import { parseTemplate } from '../../iml/syntax/parser.js';

/** The server of an address, as far as it is written and not made by expressions. */
interface StaticServer {
  readonly scheme: 'http' | 'https';
  /** The host, or what it ends with (`.example.com`) where an expression stands before that; with the port, if one is written. */
  readonly host: string;
  readonly isWhole: boolean;
}

/** The scheme and authority of an address. What an expression gives is a sign of its own, so that it ends neither. */
const AUTHORITY = /(https?):\/\/([^\s/?#"'\\<>`|,;)]+)/gi;

/** Lists the servers of all addresses in a text. */
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
 * Whether an address that a template gave is on the server that is written in it: what stands in the place of an expression
 * (`https://{{connection.shop}}.example.com`) may bring a host of its own.
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
export function isHostFromInput(address: unknown, names: readonly string[]): boolean {
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
