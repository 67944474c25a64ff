import { TransportError } from '../../errors/engine-error.js';
import { responseHeader, withoutHeaders } from '../message/headers.js';
import { type HttpUrl, isSameHost, parseHttpUrl } from '../message/http-url.js';
import type {
  CrossOriginPolicy,
  HeaderEntry,
  Transport,
  TransportRequest,
  TransportResponse,
} from '../message/transport.js';
import { withoutOAuth1Body } from '../signing/oauth1-signature.js';

/** The Fetch standard's figure. [choice] */
const MAX_REDIRECTS = 20;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers a request carries for one host only. [inf] */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'host',
  'proxy-authorization',
  'x-amz-security-token',
]);

/**
 * Follows 3xx answers with a `Location` for requests that ask for it. 301, 302 and 303 turn all but GET and
 * HEAD into a GET without a body; 307 and 308 keep both. Credentials, those of OAuth 1 in a form body too, are dropped
 * when the host changes or the connection stops being encrypted, and do not come back; nor does anything else go along
 * that the request's own rule of crossing withholds. Every hop goes through `transport`, so through its guard.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 *
 * Rejects with NETWORK_REDIRECTS after 20 hops, and for a `Location` that is no http address.
 *
 * @param first the answer to the request itself
 */
export async function followRedirects(
  first: TransportResponse,
  request: TransportRequest,
  transport: Transport,
): Promise<TransportResponse> {
  let current = request;
  let response = first;
  for (let hops = 0; ; hops++) {
    const location = request.redirect === 'follow' ? redirectLocation(response) : undefined;
    if (location === undefined) return response;
    if (hops >= MAX_REDIRECTS) throw tooMany(request.url);
    current = await nextRequest(current, response.status, location);
    response = await transport(current);
  }
}

/** A 3xx without a `Location` leads nowhere and is a response like any other. */
function redirectLocation(response: TransportResponse): string | undefined {
  if (!REDIRECT_STATUSES.has(response.status)) return undefined;
  const location = responseHeader(response.headers, 'location')?.trim();
  return location === undefined || location === '' ? undefined : readUtf8(location);
}

/** Header bytes are read as Latin-1; a `Location` with other letters than ASCII is UTF-8 nearly always. */
function readUtf8(latin1: string): string {
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? latin1 : text;
}

async function nextRequest(
  request: TransportRequest,
  status: number,
  location: string,
): Promise<TransportRequest> {
  const from = parseHttpUrl(request.url);
  const { url, target } = resolveLocation(location, request.url, from.origin);
  const keepsBody = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
  const keepsCredentials = isSameHost(from, target);
  const headers = withoutHeaders(
    request.headers,
    (name) =>
      (!keepsBody && name.startsWith('content-')) || (!keepsCredentials && CREDENTIAL_HEADERS.has(name)),
  );
  const next: TransportRequest = keepsBody
    ? { ...request, url, headers, body: keepsCredentials ? request.body : withoutOAuth1Body(request) }
    : { ...request, url, headers, method: 'GET', body: undefined };
  const crossing = keepsCredentials ? undefined : request.crossing?.();
  if (crossing === undefined || crossing.sendsSecrets) return next;
  return crossing.isTrusted(target) ? next : withholdSecrets(next, crossing);
}

function resolveLocation(location: string, base: string, origin: string): { url: string; target: HttpUrl } {
  try {
    const resolved = new URL(location, base);
    resolved.hash = '';
    return { url: resolved.href, target: parseHttpUrl(resolved.href) };
  } catch (cause) {
    throw new TransportError(
      'NETWORK_REDIRECTS',
      `${origin}: redirects to an address that cannot be called.`,
      {
        retryable: false,
        cause,
      },
    );
  }
}

function tooMany(url: string): TransportError {
  const { origin } = parseHttpUrl(url);
  return new TransportError('NETWORK_REDIRECTS', `${origin}: more than ${MAX_REDIRECTS} redirects.`, {
    retryable: false,
  });
}

/**
 * A cross-origin request without the secrets of its sender, for a host that the app does not name: headers and query
 * parameters that hold a secret are dropped and reported.
 *
 * @throws NETWORK_REFUSED for a body, a path or a host that holds a secret, as none can be sent without a part of it
 */
export function withholdSecrets(request: TransportRequest, rule: CrossOriginPolicy): TransportRequest {
  if (request.body !== undefined && rule.holdsSecret(readText(request.body))) {
    throw refusal('in its body', request);
  }
  const { origin, hostname, path } = parseHttpUrl(request.url);
  // Its name would tell them.
  if (rule.holdsCredential(hostname)) throw refusalBy('in its name', 'a host the app does not name. Add it');
  if (rule.holdsCredential(path)) throw refusal('in its path', request);
  const withheld: string[] = [];
  const headers = withoutSecretHeaders(request.headers, rule, withheld);
  const url = withoutSecretPairs(request.url, rule, withheld);
  if (withheld.length > 0) rule.onWithheld(withheld, origin);
  return { ...request, url, headers };
}

function withoutSecretHeaders(
  headers: readonly HeaderEntry[],
  rule: CrossOriginPolicy,
  withheld: string[],
): readonly HeaderEntry[] {
  return headers.filter(([name, value]) => {
    if (rule.holdsSecret(name) || rule.holdsCredential(name.toLowerCase())) {
      withheld.push('a header whose name is secret');
      return false;
    }
    const isSecret = rule.isSecretHeader(name) || rule.holdsSecret(value);
    if (isSecret) withheld.push(`the header ${name}`);
    return !isSecret;
  });
}

function refusal(where: string, { url }: TransportRequest): TransportError {
  const { origin } = parseHttpUrl(url);
  return refusalBy(where, `${origin}, a host the app does not name. Add it`);
}

function refusalBy(where: string, host: string): TransportError {
  return new TransportError(
    'NETWORK_REFUSED',
    `The request would take credentials ${where} to ${host} to network.appHosts (--app-host) to send them there.`,
    { retryable: false },
  );
}

function readText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function withoutSecretPairs(url: string, rule: CrossOriginPolicy, withheld: string[]): string {
  const mark = url.indexOf('?');
  if (mark === -1) return url;
  const pairs = url.slice(mark + 1);
  const kept = pairs.split('&').filter((pair) => {
    const isSecret = rule.holdsSecret(pair);
    if (isSecret) withheld.push('a parameter of the query');
    return !isSecret;
  });
  const query = kept.join('&');
  // A secret with `&` in it, written as it is.
  if (query !== '' && rule.holdsSecret(query)) withheld.push('the query');
  return query === '' || rule.holdsSecret(query) ? url.slice(0, mark) : `${url.slice(0, mark)}?${query}`;
}
