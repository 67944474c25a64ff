import { EngineError } from '../../errors/engine-error.js';
import { TransportError } from '../../errors/transport-error.js';
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

/** Patterns of hosts: `api.example.com`, `api.example.com:8443`, `*.example.com`. */
export type HostMatcher = (server: HttpServer) => boolean;

/** @throws EngineError (USAGE) for an entry that is no host */
export function readHosts(entries: readonly string[], setting: string): HostMatcher {
  const exact = new Set<string>();
  const above: string[] = [];
  for (const entry of entries) {
    const text = entry.trim().toLowerCase();
    const name = text.startsWith('*.') ? text.slice(2) : text;
    try {
      const { hostname, host, path } = parseHttpUrl(`https://${name}`);
      if (path !== '/' || name.includes('*') || name.includes('/')) throw new Error('no host');
      if (text.startsWith('*.')) above.push(`.${hostname}`);
      else exact.add(host);
    } catch (cause) {
      throw new EngineError(
        'USAGE',
        `${setting} has the entry ${JSON.stringify(entry.slice(0, 80))}; it must be a host such as api.example.com or *.example.com.`,
        { cause },
      );
    }
  }
  return ({ hostname, host }) =>
    exact.has(host) || above.some((suffix) => hostname.endsWith(suffix) && hostname.length > suffix.length);
}

/**
 * A transport that calls only hosts an app names: written in it, or trusted by the rule of the request.
 *
 * Rejects with NETWORK_REFUSED for others.
 */
export function refuseUndeclared(transport: Transport, isDeclared: HostMatcher): Transport {
  return async (request) => {
    const url = parseHttpUrl(request.url);
    if (isDeclared(url) || request.crossing?.().isTrusted(url) === true) return transport(request);
    throw new TransportError(
      'NETWORK_REFUSED',
      `The app does not name the host ${url.host}, and only hosts it names may be called. Add it to network.appHosts (--app-host).`,
      { retryable: false },
    );
  };
}
