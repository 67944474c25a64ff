import { EngineError, TransportError } from '../../shared/errors/engine-error.js';
import { parseHttpUrl } from './http-url.js';
import type { HttpServer, Transport } from './transport.js';

/** Which hosts receive credentials and secrets of an app. */
export interface HostPolicy {
  /** Whether undeclared hosts receive the same as the first host, as on the platform. */
  readonly sendsSecrets: boolean;
  /** Whether the embedder named a host: in `appHosts`, as the base URL, or as a target of `rewrite`. */
  readonly isNamed: (server: HttpServer) => boolean;
  /** Whether the embedder mapped requests for a URL to another server. */
  readonly isRedirected: (url: string) => boolean;
}

/** Whether a server matches one of several entries. */
export type HostMatcher = (server: HttpServer) => boolean;

/** `api.example.com`, `api.example.com:8443`, `*.example.com`, each with an optional scheme. */
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^\s/?#@*.][^\s/?#@*]*(?<!:))$/;

/**
 * Parses host entries. An entry without scheme means https, as the same name over http may be any server on the way;
 * for loopback hosts it means both.
 *
 * @throws EngineError (USAGE) for an invalid entry
 */
export function readHosts(entries: readonly string[], setting: string): HostMatcher {
  const exact = new Set<string>();
  const above: { readonly protocol: string; readonly suffix: string }[] = [];
  for (const entry of entries) {
    const [, scheme, isAbove, name = ''] = ENTRY.exec(entry.trim().toLowerCase()) ?? [];
    const schemes = scheme === undefined ? (isLoopback(name) ? ['https', 'http'] : ['https']) : [scheme];
    for (const each of schemes) {
      const server = readServer(`${each}://${name}`, entry, setting);
      if (isAbove === undefined) exact.add(server.origin);
      else above.push({ protocol: server.protocol, suffix: `.${server.host}` });
    }
  }
  return ({ protocol, host, origin }) =>
    exact.has(origin) || above.some((known) => known.protocol === protocol && isBelow(host, known.suffix));
}

function isBelow(host: string, suffix: string): boolean {
  return host.endsWith(suffix) && host.length > suffix.length;
}

function isLoopback(name: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(name);
}

function readServer(address: string, entry: string, setting: string): HttpServer {
  try {
    return parseHttpUrl(address);
  } catch (cause) {
    throw new EngineError(
      'USAGE',
      `${setting} has the entry ${JSON.stringify(entry.slice(0, 80))}; expected a host such as api.example.com or *.example.com, or http://api.example.com for unencrypted requests.`,
      { cause },
    );
  }
}

/**
 * Restricts a transport to hosts that the app names: literally, or as a plain input value. A host computed by an
 * expression is not named.
 *
 * Rejects with NETWORK_REFUSED for other hosts.
 */
export function refuseUndeclared(transport: Transport, isDeclared: HostMatcher): Transport {
  return async (request) => {
    const url = parseHttpUrl(request.url);
    if (isDeclared(url)) return transport(request);
    const policy = request.crossOrigin?.();
    if (policy?.isFromInput(url) === true) return transport(request);
    throw new TransportError(
      'NETWORK_REFUSED',
      `The app does not name the host ${url.host}, and requests to other hosts are blocked. Add it to http.appHosts (--app-host) to allow it.`,
      { retryable: false },
    );
  };
}
