import { TransportError } from '../../errors/engine-error.js';
import { createBoundedCache } from '../../util/bounded-cache.js';

/** The server of an http address. */
export interface HttpServer {
  /** `https://host:port`; the host in lower case and ASCII, a default port left out. */
  readonly origin: string;
  readonly protocol: 'http:' | 'https:';
  /** Without port; an IPv6 address without its brackets. */
  readonly hostname: string;
  /** With the port, unless it is the default. */
  readonly host: string;
}

/** An http address in the pieces that are sent. */
export interface HttpUrl extends HttpServer {
  /** As written, at least `/`. */
  readonly path: string;
  /** As written, without the question mark; undefined if there is none. */
  readonly query: string | undefined;
}

const ADDRESS = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/is;

/** What cannot stand in an authority; the URL parser would drop some of it without a word. */
const BAD_AUTHORITY = /[\p{Cc}\s\\@]/u;

/**
 * Splits an absolute http address. The authority is normalised as browsers do (numbers to dotted IPv4, names to
 * punycode), so that what the network guard sees is what is connected to; path and query stay byte for byte,
 * as `new URL` would fold `%2e%2e` and `..` that an author meant to send. A fragment is dropped.
 *
 * @throws REQUEST_INVALID for other schemes, user names, ports and hosts that cannot be
 */
export function parseHttpUrl(url: string): HttpUrl {
  const match = ADDRESS.exec(url);
  if (match === null) throw requestInvalid(notHttp(url));
  const [, scheme = '', authority = '', path = '', query] = match;
  const { protocol, hostname, host, origin } = parseAuthority(scheme, authority);
  return {
    origin,
    protocol: protocol === 'https:' ? 'https:' : 'http:',
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    host,
    path: path === '' ? '/' : path,
    query,
  };
}

/** A run calls few hosts, often: an address is built, signed, guarded and sent, and each step looks at its host. */
const AUTHORITIES = createBoundedCache<URL>(256);

function parseAuthority(scheme: string, authority: string): URL {
  const key = `${scheme}://${authority}/`;
  const known = AUTHORITIES.get(key);
  if (known !== undefined) return known;
  const parsed = readAuthority(scheme, authority);
  AUTHORITIES.set(key, parsed);
  return parsed;
}

function readAuthority(scheme: string, authority: string): URL {
  if (authority === '') throw requestInvalid('The address has no host.');
  if (authority.includes('@')) {
    throw requestInvalid('The address holds a user name; send credentials in a header instead.');
  }
  if (BAD_AUTHORITY.test(authority)) {
    throw requestInvalid('The host of the address holds a space, a backslash or a control character.');
  }
  let parsed: URL;
  try {
    parsed = new URL(`${scheme}://${authority}/`);
  } catch (cause) {
    throw requestInvalid(
      `The address has a host that cannot be: ${JSON.stringify(shorten(authority))}.`,
      cause,
    );
  }
  // A dot after the host is dropped. [rt]
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.replace(/\.+$/, '');
  if (parsed.port === '0') throw requestInvalid('The address has port 0.');
  return parsed;
}

function notHttp(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'http:' || scheme === 'https:')
    return `The address must go on with two slashes after ${scheme}`;
  if (scheme !== undefined)
    return `The address has the scheme ${scheme} Only http: and https: can be called.`;
  return 'The address is not absolute; it must start with http:// or https://.';
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The same server: from http to https on the default ports is, back is not. */
export function isSameHost(from: HttpServer, to: HttpServer): boolean {
  if (from.protocol === 'https:' && to.protocol === 'http:') return false;
  return from.host === to.host;
}

/** The error of a request that cannot be built; the same request will never do better. */
export function requestInvalid(message: string, cause?: unknown): TransportError {
  return new TransportError('REQUEST_INVALID', message, { retryable: false, cause });
}
