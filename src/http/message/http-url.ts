import { TransportError } from '../../errors/engine-error.js';
import { createBoundedCache } from '../../util/bounded-cache.js';

/** The server of an HTTP URL. */
export interface HttpServer {
  /** `https://host:port`: host in lower case and ASCII, default port omitted. */
  readonly origin: string;
  readonly protocol: 'http:' | 'https:';
  /** Without the port; an IPv6 address without brackets. */
  readonly hostname: string;
  /** With the port unless it is the default. */
  readonly host: string;
}

/** The parts of an HTTP URL. */
export interface HttpUrl extends HttpServer {
  /** As written; at least `/`. */
  readonly path: string;
  /** As written, without the question mark; undefined if absent. */
  readonly query: string | undefined;
}

const HTTP_URL = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/is;

/** Characters that are invalid in an authority. The URL parser would silently drop some of them. */
const BAD_AUTHORITY = /[\p{Cc}\s\\@]/u;

/**
 * Splits an absolute HTTP URL. Normalizes the authority like browsers (numbers to dotted IPv4, names to punycode), so
 * that the network guard checks the host that is connected to. Path and query stay unchanged byte by byte, as `new
 * URL` would resolve `%2e%2e` and `..`. Drops the fragment.
 *
 * @throws REQUEST_INVALID for other schemes, user names, invalid ports and invalid hosts
 */
export function parseHttpUrl(url: string): HttpUrl {
  const match = HTTP_URL.exec(url);
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

/** Cached, as a run calls few hosts and several steps read each URL. */
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
  if (authority === '') throw requestInvalid('The URL has no host.');
  if (authority.includes('@')) {
    throw requestInvalid('The URL contains a user name. Send credentials in a header instead.');
  }
  if (BAD_AUTHORITY.test(authority)) {
    throw requestInvalid('The host of the URL contains a space, a backslash or a control character.');
  }
  let parsed: URL;
  try {
    parsed = new URL(`${scheme}://${authority}/`);
  } catch (cause) {
    throw requestInvalid(`The host of the URL is invalid: ${JSON.stringify(shorten(authority))}.`, cause);
  }
  // A trailing dot of the host is dropped. [rt]
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.replace(/\.+$/, '');
  if (parsed.port === '0') throw requestInvalid('The port of the URL is 0.');
  return parsed;
}

function notHttp(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'http:' || scheme === 'https:') return `The URL needs two slashes after ${scheme}`;
  if (scheme !== undefined)
    return `The scheme ${scheme} of the URL is not supported: expected http: or https:.`;
  return 'The URL is not absolute: expected http:// or https:// at its start.';
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * Whether two servers are the same. An upgrade from http to https on default ports counts as the same server, a
 * downgrade does not.
 */
export function isSameHost(from: HttpServer, to: HttpServer): boolean {
  if (from.protocol === 'https:' && to.protocol === 'http:') return false;
  return from.host === to.host;
}

/** Creates the error for a request that cannot be built. Never retryable. */
export function requestInvalid(message: string, cause?: unknown): TransportError {
  return new TransportError('REQUEST_INVALID', message, { retryable: false, cause });
}
