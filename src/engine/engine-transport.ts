import {
  ANY_FUNCTION,
  ANY_TEXT,
  checkMembers,
  checkValue,
  describeKind,
  either,
  type OptionShape,
  wholeNumber,
} from '../shared/errors/check-options.js';
import { EngineError } from '../shared/errors/engine-error.js';
import { lowerFirst } from '../shared/text.js';
import { findDeclaredHosts } from './declared-hosts.js';
import type { App } from './document/app.js';
import { completeResponses } from './http/content-decoding.js';
import { findHeader } from './http/headers.js';
import {
  type HostMapping,
  type HostMatcher,
  type HostPolicy,
  mapHosts,
  readHostMap,
  readHosts,
  refuseUndeclared,
} from './http/host-policy.js';
import { parseHttpUrl } from './http/http-url.js';
import { createNetworkGuard } from './http/network-guard.js';
import { readTraceparent, type Transport, type TransportResponse } from './http/transport.js';
import { createUndiciTransport, type UndiciTransportOptions } from './http/undici-transport.js';

/**
 * How an engine sends requests. Time limits, `maxResponseBytes`, `maxConnectionsPerOrigin` and `allow` are those of the
 * default transport; the other options apply to every transport.
 */
export interface HttpOptions extends Omit<UndiciTransportOptions, 'guard'> {
  /** Sends one request. The engine adds redirects and decoding. Default: undici behind the network guard. */
  readonly transport?: Transport | undefined;
  /**
   * Wraps the transport, for example with a recorder, which sees every hop of a redirect, before `rewrite` and
   * decoding. Default: none.
   */
  readonly wrap?: ((transport: Transport) => Transport) | undefined;
  /** Allowed hosts that are not public: names, IP addresses, CIDR blocks, `loopback`, `private`. Default: none. */
  readonly allow?: readonly string[] | undefined;
  /**
   * Sends requests to other servers: `{ 'https://api.example.com': 'http://127.0.0.1:9911' }`, `*` for all hosts.
   * Applies to redirects and links of next pages, too. A target needs no `allow`. Default: none.
   */
  readonly rewrite?: HostMapping | undefined;
  /**
   * Replaces the `baseUrl` of the app's base. Requests to other hosts are then refused unless `rewrite` names them.
   * Default: the app's.
   */
  readonly baseUrl?: string | undefined;
  /** Allowed public hosts: `any`, or `declared`: the baseUrl, URLs in the app, and `appHosts`. Default: `any`. */
  readonly hosts?: 'any' | 'declared' | undefined;
  /**
   * Hosts of the app besides its baseUrl, such as `files.example.com` or `*.example.com`. An entry means HTTPS on the
   * named port or 443; `http://files.example.com` means HTTP. Default: none.
   */
  readonly appHosts?: readonly string[] | undefined;
  /**
   * Sends the `traceparent` of the span of a request (`tracing`) to hosts that the app or `appHosts` name. Default: false.
   */
  readonly sendTraceparent?: boolean | undefined;
  /**
   * Treatment of secrets in redirects and next pages on hosts of other owners: `withhold` removes them and warns,
   * `send` sends them as Make does. Default: `withhold`.
   */
  readonly crossHostSecrets?: 'withhold' | 'send' | undefined;
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
 * @throws EngineError (USAGE) for an invalid entry of `rewrite`, `allow` or `appHosts`
 */
export function createEngineTransport(app: App, options: HttpOptions): EngineTransport {
  const {
    transport: own,
    wrap: layer,
    allow = [],
    rewrite = {},
    baseUrl,
    hosts: reach = 'any',
    appHosts = [],
    sendTraceparent = false,
    crossHostSecrets = 'withhold',
    ...settings
  } = options;
  const hosts = readHostMap(rewrite);
  const isOfApp = readHosts(appHosts, 'http.appHosts');
  const base = baseUrl === undefined ? undefined : parseHttpUrl(baseUrl).origin;
  const policy: HostPolicy = {
    sendsSecrets: crossHostSecrets === 'send',
    isNamed: (url) => url.origin === base || isOfApp(url) || hosts.isTarget(url.origin),
    isRedirected: (url) => base !== undefined || hosts.resolve(url) !== undefined,
  };
  // Searches all documents of the app.
  const isDeclared = reach === 'any' && !sendTraceparent ? undefined : findDeclaredHosts(app);
  const isOwn: HostMatcher = (url) => isDeclared?.(url) === true || policy.isNamed(url);
  const layered = (direct: Transport, mapped: Transport): Transport => {
    const called = mapHosts({ hosts, direct, mapped, baseUrl });
    const traced = sendTraceparent ? addTraceparent(called, isOwn) : called;
    const reached = reach === 'any' ? traced : refuseUndeclared(traced, isOwn);
    return completeResponses(wrap(reached, layer), { maxBytes: settings.maxResponseBytes });
  };
  if (own !== undefined) {
    const given = checkResponses(own, 'The transport');
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

/** Sends the header `traceparent` to hosts of the app. One that the app sets stays. */
function addTraceparent(transport: Transport, isOwn: HostMatcher): Transport {
  return async (request) => {
    const isSet = findHeader(request.headers, 'traceparent') !== undefined;
    if (isSet || !isOwn(parseHttpUrl(request.url))) return transport(request);
    const value = await readTraceparent(request);
    if (value === undefined) return transport(request);
    return transport({ ...request, headers: [...request.headers, ['traceparent', value]] });
  };
}

/** @throws EngineError (USAGE) for a layer that gives no transport */
function wrap(transport: Transport, layer: HttpOptions['wrap']): Transport {
  if (layer === undefined) return transport;
  const wrapped = layer(transport);
  checkValue(wrapped, ANY_FUNCTION, 'The result of http.wrap');
  return checkResponses(wrapped, 'The transport of http.wrap');
}

const LIST_OF_TEXTS: OptionShape = {
  expected: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
};
const HEADER = either(ANY_TEXT, LIST_OF_TEXTS);

const HEADERS: OptionShape = {
  expected: 'an object of texts by lower-case names',
  // Headers, Map and lists of pairs have no own members, so their content would be ignored.
  fits: (value) => typeof value === 'object' && value !== null && !(Symbol.iterator in value),
};

const RESPONSE: Readonly<Record<string, OptionShape>> = {
  status: wholeNumber(0, 999),
  headers: HEADERS,
  body: { expected: 'a Uint8Array', fits: (value) => value instanceof Uint8Array },
  url: ANY_TEXT,
};

/**
 * Checks the responses of an embedder's transport before they are used.
 *
 * Rejects with EngineError (USAGE) for an invalid response, and for a rejection with a value that is not an error;
 * otherwise like the transport.
 *
 * @param what name of the transport in messages
 */
function checkResponses(transport: Transport, what: string): Transport {
  return async (request) => {
    let response: TransportResponse;
    try {
      response = await transport(request);
    } catch (error) {
      if (request.signal.aborted || isError(error)) throw error;
      const message = `${what} rejected with ${describeKind(error)}; expected an error.`;
      throw new EngineError('USAGE', message, { cause: error });
    }
    checkResponse(response, what);
    return response;
  };
}

function checkResponse(response: TransportResponse, what: string): void {
  const name = `The response of ${lowerFirst(what)}`;
  checkMembers(response, RESPONSE, name, true);
  const missing = Object.keys(RESPONSE).find((member) => Reflect.get(response, member) === undefined);
  if (missing !== undefined) throw new EngineError('USAGE', `${name}: "${missing}" is missing.`);
  for (const [header, value] of Object.entries(response.headers)) {
    checkValue(value, HEADER, `${name}: the header "${header.slice(0, 80)}"`);
  }
}

/** Accepts errors of any realm. A thrown proxy may throw again. */
function isError(error: unknown): boolean {
  try {
    return error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
  } catch {
    return false;
  }
}
