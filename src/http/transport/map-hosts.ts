import { describeKind } from '../../errors/check-options.js';
import { EngineError, TransportError } from '../../errors/engine-error.js';
import { trimTrailing } from '../../util/text.js';
import { findHeader, responseHeader } from '../message/headers.js';
import { type HttpUrl, parseHttpUrl } from '../message/http-url.js';
import type { Transport, TransportRequest, TransportResponse } from '../message/transport.js';

/**
 * Where requests really go, by where they are addressed to: `{ "https://api.example.com": "http://127.0.0.1:9911" }`.
 * The left side is an origin, a host of either scheme (`api.example.com`, `api.example.com:8443`), all hosts below one
 * (`*.example.com`), or `*`; the most exact wins. The right side is an address without a query; a path in it is put in
 * front.
 */
export type HostMapping = Readonly<Record<string, string>>;

/** A mapping that has been read. */
export interface HostMap {
  /** The address on the other server, or undefined for one that is not mapped. */
  readonly resolve: (url: string) => string | undefined;
  /** Whether an address lies on a server that something is mapped to. */
  readonly isTarget: (url: string) => boolean;
  /**
   * Names of the hosts that something is mapped to, for the guard to let through: whoever maps a host to an address means
   * that address, also where the app may not go by itself.
   */
  readonly allowed: readonly string[];
}

export interface MapHostsOptions {
  readonly hosts: HostMap;
  /** Makes the exchanges with servers that something is mapped to. */
  readonly mapped: Transport;
  /** Makes all others. */
  readonly direct: Transport;
  /** The `baseUrl` somebody gave in place of the app's; nothing but it and what is mapped may be called then. */
  readonly baseUrl?: string | undefined;
}

/**
 * Reads a mapping of hosts.
 *
 * @throws EngineError (USAGE) for a side that is not as `HostMapping` says
 */
export function readHostMap(mapping: HostMapping): HostMap {
  const targets = new Map<string, HttpUrl>();
  for (const [from, to] of Object.entries(mapping)) targets.set(readFrom(from), readTarget(from, to));
  const origins = new Set([...targets.values()].map(({ origin }) => origin));
  const resolve = (url: string): string | undefined => {
    if (targets.size === 0) return undefined;
    const asked = parseHttpUrl(url);
    // A server that is mapped to and names itself in a link is not mapped again.
    if (origins.has(asked.origin)) return undefined;
    const target = listKeys(asked).flatMap((key) => targets.get(key) ?? [])[0];
    return target && addressOn(target, asked);
  };
  return {
    resolve,
    isTarget: (url) => origins.size > 0 && origins.has(parseHttpUrl(url).origin),
    allowed: [...targets.values()].map(({ hostname }) => hostname),
  };
}

/**
 * A transport that takes requests to the servers they are mapped to. The request names the server it was meant for in
 * `X-Forwarded-Host`, so that one local server can stand for several; the answer looks as if it came from there: its
 * address, and a `Location` that leads to the local server. Redirects are to be followed above this layer, so that each
 * hop is mapped.
 *
 * Rejects with NETWORK_REFUSED for a server beside a given base url that is not mapped.
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

/** A server that knows itself by its local address redirects there; the way back leads over the mapping again. */
function originalView(
  { url }: TransportRequest,
  mappedUrl: string,
  response: TransportResponse,
): TransportResponse {
  const location = responseHeader(response.headers, 'location')?.trim() ?? '';
  const asked = parseHttpUrl(url);
  const local = parseHttpUrl(mappedUrl);
  const prefix = local.path.slice(0, local.path.length - asked.path.length);
  const start = local.origin + prefix;
  const rest = location.slice(start.length);
  if (!location.startsWith(start) || !/^(?:[/?#]|$)/.test(rest)) return { ...response, url };
  const headers = Object.assign(Object.create(null), response.headers, { location: asked.origin + rest });
  return { ...response, headers, url };
}

function assertAtBase(url: string, base: HttpUrl): void {
  const { origin } = parseHttpUrl(url);
  if (origin === base.origin) return;
  throw new TransportError(
    'NETWORK_REFUSED',
    `The request leads to ${origin}, and the base url was replaced by ${base.origin}: nothing is sent to the real server by mistake. Say where it goes: --map ${origin}=${base.origin}, or hosts: { '${origin}': '${base.origin}' } of the engine; the address itself on the right side lets it through.`,
    { retryable: false },
  );
}

/** What an address may stand under on the left side, the most exact first. */
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
      // A port that is the default of one scheme only: of both readings the one that keeps it tells more.
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
    `hosts: ${shown(from)} is not what can be mapped; give an origin such as https://api.example.com, a host, *.example.com, or *.`,
    { cause },
  );
}

function readTarget(from: string, to: string): HttpUrl {
  try {
    const target = parseHttpUrl(to.trim());
    if (target.query === undefined && !to.includes('#')) return target;
  } catch {
    // Told below, in the words of the setting.
  }
  throw new EngineError(
    'USAGE',
    `hosts: ${shown(from)} is mapped to ${shown(to)}; give an address that starts with http:// or https:// and has no query.`,
  );
}

/** @param text anything, from an embedder without types */
function shown(text: unknown): string {
  return typeof text === 'string' ? JSON.stringify(text.slice(0, 80)) : describeKind(text);
}
