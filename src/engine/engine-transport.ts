import { ANY_FUNCTION, checkValue } from '../shared/errors/check-options.js';
import { findDeclaredHosts } from './declared-hosts.js';
import type { App } from './document/app.js';
import { checkResponses } from './http/checked-transport.js';
import { completeResponses } from './http/content-decoding.js';
import { type HostPolicy, readHosts, refuseUndeclared } from './http/host-policy.js';
import { parseHttpUrl } from './http/http-url.js';
import { type HostMapping, mapHosts, readHostMap } from './http/map-hosts.js';
import { createNetworkGuard } from './http/network-guard.js';
import type { Transport } from './http/transport.js';
import { createUndiciTransport, type UndiciTransportOptions } from './http/undici-transport.js';

/** Options of the default transport. */
export interface NetworkOptions extends Omit<UndiciTransportOptions, 'guard'> {
  /** Additional allowed hosts: names, IP addresses, CIDR blocks, `loopback`, `private`. */
  readonly allow?: readonly string[] | undefined;
  /**
   * Allowed public hosts: `any`, or `declared`: the baseUrl, URLs in the app, and `appHosts`. Applies to every
   * transport. Default: `any`.
   */
  readonly hosts?: 'any' | 'declared' | undefined;
  /**
   * Hosts that are the app's beside its baseUrl, such as `files.example.com` or `*.example.com`: each the server that is called encrypted, on
   * the port it names or 443. `http://files.example.com` names one that is called without encryption. Default: none.
   */
  readonly appHosts?: readonly string[] | undefined;
  /**
   * Whether secrets go along when a redirect or the link of a next page leads to a host that is not the app's: `withhold`
   * leaves them out and warns, `send` does as the platform. Of every transport. Default: `withhold`.
   */
  readonly crossHostSecrets?: 'withhold' | 'send' | undefined;
}

export interface EngineTransportOptions {
  readonly app: App;
  readonly transport: Transport | undefined;
  readonly network: NetworkOptions | undefined;
  readonly hosts: HostMapping | undefined;
  readonly baseUrl: string | undefined;
  readonly wrapTransport: ((transport: Transport) => Transport) | undefined;
}

/** A transport with all layers, and a function that closes it. */
export interface EngineTransport {
  readonly transport: Transport;
  readonly policy: HostPolicy;
  readonly close: () => Promise<void>;
}

/**
 * The layers over one exchange: hosts are mapped under the redirects, so that every hop is.
 *
 * @throws EngineError (USAGE) for an invalid entry of `hosts`, `network.allow` or `network.appHosts`
 */
export function createEngineTransport(options: EngineTransportOptions): EngineTransport {
  const { network = {}, baseUrl } = options;
  const hosts = readHostMap(options.hosts ?? {});
  const {
    allow = [],
    hosts: reach = 'any',
    appHosts = [],
    crossHostSecrets = 'withhold',
    ...settings
  } = network;
  const isOfApp = readHosts(appHosts, 'network.appHosts');
  const base = baseUrl === undefined ? undefined : parseHttpUrl(baseUrl).origin;
  const policy: HostPolicy = {
    sendsSecrets: crossHostSecrets === 'send',
    isNamed: (url) => url.origin === base || isOfApp(url) || hosts.isTarget(url.origin),
    isRedirected: (url) => base !== undefined || hosts.resolve(url) !== undefined,
  };
  // Searches all documents of the app.
  const isDeclared = reach === 'any' ? undefined : findDeclaredHosts(options.app);
  const layered = (direct: Transport, mapped: Transport): Transport => {
    const called = mapHosts({ hosts, direct, mapped, baseUrl });
    const reached =
      isDeclared === undefined
        ? called
        : refuseUndeclared(called, (url) => isDeclared(url) || policy.isNamed(url));
    return completeResponses(wrap(reached, options.wrapTransport), { maxBytes: settings.maxResponseBytes });
  };
  if (options.transport !== undefined) {
    const given = checkResponses(options.transport, 'The transport');
    return { transport: layered(given, given), policy, close: async () => {} };
  }
  const direct = createUndiciTransport({ ...settings, guard: createNetworkGuard({ allow }) });
  const guard = createNetworkGuard({ allow: [...allow, ...hosts.allowed] });
  const mapped = createUndiciTransport({ ...settings, guard });
  return {
    transport: layered(direct, mapped),
    policy,
    close: async () => {
      await Promise.all([direct.close(), mapped.close()]);
    },
  };
}

/** @throws EngineError (USAGE) for a layer that gives no transport */
function wrap(transport: Transport, layer: EngineTransportOptions['wrapTransport']): Transport {
  if (layer === undefined) return transport;
  const wrapped = layer(transport);
  checkValue(wrapped, ANY_FUNCTION, 'What wrapTransport gives');
  return checkResponses(wrapped, 'The transport of wrapTransport');
}
