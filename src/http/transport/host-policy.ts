import { EngineError, TransportError } from '../../errors/engine-error.js';
import { type HttpServer, parseHttpUrl } from '../message/http-url.js';
import type { Transport } from '../message/transport.js';

/** Which hosts get what an app knows as secret. */
export interface HostPolicy {
  /** Whether hosts that nobody named get what the first host got, as they do on the platform. */
  readonly sendsSecrets: boolean;
  /** Whether the embedder named a host: in `appHosts`, as the base url, or on the right side of `hosts`. */
  readonly isNamed: (server: HttpServer) => boolean;
  /** Whether somebody took the requests for a host elsewhere. */
  readonly isRedirected: (url: string) => boolean;
}

/** Whether a server is one of those that entries name. */
export type HostMatcher = (server: HttpServer) => boolean;

/** `api.example.com`, `api.example.com:8443`, `*.example.com`, each with the scheme it is for in front or without. */
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^\s/?#@*.][^\s/?#@*]*(?<!:))$/;

/**
 * Reads the hosts that somebody names. One without a scheme is called encrypted, on the port it has or else 443: the same name without encryption is another server,
 * which anybody on the way can be. Only this machine is meant either way.
 *
 * @throws EngineError (USAGE) for an entry that is no host
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
      `${setting} has the entry ${JSON.stringify(entry.slice(0, 80))}; it must be a host such as api.example.com or *.example.com, or http://api.example.com for one that is called without encryption.`,
      { cause },
    );
  }
}

/**
 * A transport that calls only hosts an app names: written in it, or given where its address names a value alone. What an expression
 * computes is the app's, and not written anywhere.
 *
 * Rejects with NETWORK_REFUSED for others.
 */
export function refuseUndeclared(transport: Transport, isDeclared: HostMatcher): Transport {
  return async (request) => {
    const url = parseHttpUrl(request.url);
    if (isDeclared(url)) return transport(request);
    const crossing = request.crossing?.();
    if (crossing?.isGiven(url) === true) return transport(request);
    throw new TransportError(
      'NETWORK_REFUSED',
      `The app does not name the host ${url.host}, and only hosts it names may be called. Add it to network.appHosts (--app-host).`,
      { retryable: false },
    );
  };
}
