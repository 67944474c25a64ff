/** The server of an address, as far as it is written and not made by expressions. */
export interface WrittenServer {
  readonly scheme: 'http' | 'https';
  /** The host, or what it ends with (`.example.com`) where an expression stands before that; with the port, if one is written. */
  readonly host: string;
  readonly isWhole: boolean;
}

/** The scheme and authority of an address. What an expression gives is a sign of its own, so that it ends neither. */
const AUTHORITY = /(https?):\/\/([^\s/?#"'\\<>`|,;)]+)/gi;

/** Lists the servers of all addresses in a text. */
export function listWrittenServers(text: string): readonly WrittenServer[] {
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
export function isOnWrittenServer(template: unknown, { hostname, port, protocol }: URL): boolean {
  if (typeof template !== 'string' || !/^\s*https?:\/\//i.test(template)) return true;
  const [server] = listWrittenServers(template);
  if (server === undefined || server.host === '') return true;
  const withPort = `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
  return [hostname, withPort].some((host) =>
    server.isWhole ? host === server.host : host.endsWith(server.host),
  );
}
