import { describeKind } from '../../shared/errors/check-options.js';
import { EngineError, TransportError } from '../../shared/errors/engine-error.js';
import { trimTrailing } from '../../shared/text.js';
import { findHeader, responseHeader } from './headers.js';
import { type HttpUrl, parseHttpUrl } from './http-url.js';
import {
  type HttpServer,
  readCrossOriginPolicy,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

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
    const policy = readCrossOriginPolicy(request);
    if (policy?.isFromInput(url) === true) return transport(request);
    throw new TransportError(
      'NETWORK_REFUSED',
      `The app does not name the host ${url.host}, and requests to other hosts are blocked. Add it to http.appHosts (app-host in iml.config.json) to allow it.`,
      { retryable: false },
    );
  };
}

/**
 * Maps hosts to other servers: `{ "https://api.example.com": "http://127.0.0.1:9911" }`. A key is an origin, a host
 * for both schemes (`api.example.com`, `api.example.com:8443`), a wildcard (`*.example.com`) or `*`; the most specific
 * key wins. A value is a URL without a query; its path is a prefix.
 */
export type HostMapping = Readonly<Record<string, string>>;

/** A parsed mapping. */
export interface HostMap {
  /** Returns the mapped URL, or undefined if the URL is not mapped. */
  readonly resolve: (url: string) => string | undefined;
  /** Whether a URL is on a mapping target. */
  readonly isTarget: (url: string) => boolean;
  /** Names of the target hosts, for the network guard: a mapping to a host allows that host, even a private one. */
  readonly allowed: readonly string[];
}

export interface MapHostsOptions {
  readonly hosts: HostMap;
  /** Transport for mapping targets. */
  readonly mapped: Transport;
  /** Transport for all other servers. */
  readonly direct: Transport;
  /** The base URL that replaces the app's. If set, only it and mapped hosts can be called. */
  readonly baseUrl?: string | undefined;
}

/**
 * Parses a host mapping.
 *
 * @throws EngineError (USAGE) for an invalid key or value
 */
export function readHostMap(mapping: HostMapping): HostMap {
  const targets = new Map<string, HttpUrl>();
  for (const [from, to] of Object.entries(mapping)) targets.set(readFrom(from), readTarget(from, to));
  const origins = new Set([...targets.values()].map(({ origin }) => origin));
  const resolve = (url: string): string | undefined => {
    if (targets.size === 0) return undefined;
    const original = parseHttpUrl(url);
    // A target that links to itself is not mapped again.
    if (origins.has(original.origin)) return undefined;
    const target = listKeys(original).flatMap((key) => targets.get(key) ?? [])[0];
    return target && addressOn(target, original);
  };
  return {
    resolve,
    isTarget: (url) => origins.size > 0 && origins.has(parseHttpUrl(url).origin),
    allowed: [...targets.values()].map(({ hostname }) => hostname),
  };
}

/**
 * Creates a transport that sends requests to mapped servers. Adds the original host as `X-Forwarded-Host`, so that one
 * local server can stand in for several. The response has the original URL, and a `Location` on the local server is
 * mapped back. Follow redirects above this layer, so that each hop is mapped.
 *
 * Rejects with NETWORK_REFUSED for an unmapped server if there is a base URL.
 */
export function mapHosts({ hosts, mapped, direct, baseUrl }: MapHostsOptions): Transport {
  if (hosts.allowed.length === 0 && baseUrl === undefined) return direct;
  const base = baseUrl === undefined ? undefined : parseHttpUrl(baseUrl);
  return async (request) => {
    const url = hosts.resolve(request.url);
    if (url !== undefined) return originalView(request, url, await mapped(mappedRequest(request, url)));
    if (hosts.isTarget(request.url)) return mapped(request);
    if (base !== undefined) assertAtBase(request.url, base);
    return direct(request);
  };
}

function mappedRequest(request: TransportRequest, url: string): TransportRequest {
  if (findHeader(request.headers, 'x-forwarded-host') !== undefined) return { ...request, url };
  const { host } = parseHttpUrl(request.url);
  return { ...request, url, headers: [...request.headers, ['X-Forwarded-Host', host]] };
}

/** Maps a `Location` on the local server back to the original server. */
function originalView(
  { url }: TransportRequest,
  mappedUrl: string,
  response: TransportResponse,
): TransportResponse {
  const location = responseHeader(response.headers, 'location')?.trim() ?? '';
  const original = parseHttpUrl(url);
  const local = parseHttpUrl(mappedUrl);
  const prefix = local.path.slice(0, local.path.length - original.path.length);
  const start = local.origin + prefix;
  const rest = location.slice(start.length);
  if (!location.startsWith(start) || !/^(?:[/?#]|$)/.test(rest)) return { ...response, url };
  const headers = Object.assign(Object.create(null), response.headers, { location: original.origin + rest });
  return { ...response, headers, url };
}

function assertAtBase(url: string, base: HttpUrl): void {
  const { origin } = parseHttpUrl(url);
  if (origin === base.origin) return;
  throw new TransportError(
    'NETWORK_REFUSED',
    `Blocked a request to ${origin}, as the base URL was replaced by ${base.origin}. Map the host with --map ${origin}=${base.origin}, or with http.rewrite: { '${origin}': '${base.origin}' }. Map it to itself to send the request.`,
    { retryable: false },
  );
}

/** Returns the keys that match a URL, most specific first. */
function listKeys({ origin, host, hostname }: HttpUrl): readonly string[] {
  const labels = hostname.split('.');
  const above = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [origin, host, ...above, '*'];
}

function addressOn(target: HttpUrl, { path, query }: HttpUrl): string {
  const prefix = trimTrailing(target.path, '/');
  return `${target.origin}${prefix}${path}${query === undefined ? '' : `?${query}`}`;
}

function readFrom(from: string): string {
  const text = trimTrailing(from.trim(), '/');
  if (text === '*') return text;
  const wildcard = /^\*\.([^/:*]+)$/.exec(text)?.[1];
  if (wildcard === undefined && text.includes('*')) throw notMappable(from);
  try {
    if (wildcard !== undefined) return `*.${parseHttpUrl(`https://${wildcard}`).hostname}`;
    if (!text.includes('://')) {
      // The port may be the default of one scheme; the other scheme keeps it.
      const hosts = ['https', 'http'].map((scheme) => parseHttpUrl(`${scheme}://${text}`));
      const isBare = hosts.every(({ path, query }) => path === '/' && query === undefined);
      const [{ host } = { host: '' }] = hosts.toSorted((a, b) => b.host.length - a.host.length);
      if (isBare) return host;
    } else {
      const { origin, path, query } = parseHttpUrl(text);
      if (path === '/' && query === undefined) return origin;
    }
  } catch (cause) {
    throw notMappable(from, cause);
  }
  throw notMappable(from);
}

function notMappable(from: string, cause?: unknown): EngineError {
  return new EngineError(
    'USAGE',
    `http.rewrite: ${shown(from)} is not a valid key: expected an origin such as https://api.example.com, a host, *.example.com, or *.`,
    { cause },
  );
}

function readTarget(from: string, to: string): HttpUrl {
  try {
    const target = parseHttpUrl(to.trim());
    if (target.query === undefined && !to.includes('#')) return target;
  } catch {
    // The error below names the setting.
  }
  throw new EngineError(
    'USAGE',
    `http.rewrite: ${shown(from)} is mapped to ${shown(to)}: expected an http or https URL without a query.`,
  );
}

/** @param text any value, as an embedder may use no types */
function shown(text: unknown): string {
  return typeof text === 'string' ? JSON.stringify(text.slice(0, 80)) : describeKind(text);
}
