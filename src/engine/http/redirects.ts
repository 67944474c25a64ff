import { TransportError } from '../../shared/errors/engine-error.js';
import { utf8Text } from './body/decode-body.js';
import { responseHeader, withoutHeaders } from './headers.js';
import { type HttpUrl, isSameHost, parseHttpUrl } from './http-url.js';
import { withoutOAuth1Body } from './oauth1-signature.js';
import {
  type CrossOriginPolicy,
  type HeaderEntry,
  readCrossOriginPolicy,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/** Same as the Fetch standard. [choice] */
const MAX_REDIRECTS = 20;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers for one host only. [inf] */
const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'host',
  'proxy-authorization',
  'x-amz-security-token',
]);

/**
 * Follows 3xx responses with a `Location`. 301, 302 and 303 turn all methods but GET and HEAD into GET without a body;
 * 307 and 308 keep both. On another host, or without encryption, drops credentials (also OAuth 1 parameters in a form
 * body) and everything the request's cross-origin policy withholds. Every hop goes through `transport` and its guard.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [inf]
 *
 * Rejects with NETWORK_REDIRECTS after 20 hops, and for an invalid `Location`.
 *
 * @param first the response to the request itself
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
    if (hops >= MAX_REDIRECTS) throw tooManyRedirects(request.url);
    current = await nextRequest(current, response.status, location);
    response = await transport(current);
  }
}

/** A 3xx without a `Location` is a normal response. */
function redirectLocation(response: TransportResponse): string | undefined {
  if (!REDIRECT_STATUSES.has(response.status)) return undefined;
  const location = responseHeader(response.headers, 'location')?.trim();
  return location === undefined || location === '' ? undefined : readUtf8(location);
}

/** Header bytes decode as Latin-1; a `Location` beyond ASCII is nearly always UTF-8. */
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
  const policy = keepsCredentials ? undefined : readCrossOriginPolicy(request);
  if (policy === undefined || policy.sendsSecrets) return next;
  return policy.isTrusted(target) ? next : withholdSecrets(next, policy);
}

function resolveLocation(location: string, base: string, origin: string): { url: string; target: HttpUrl } {
  try {
    const resolved = new URL(location, base);
    resolved.hash = '';
    return { url: resolved.href, target: parseHttpUrl(resolved.href) };
  } catch (cause) {
    throw new TransportError('NETWORK_REDIRECTS', `${origin}: the response redirects to an invalid URL.`, {
      retryable: false,
      cause,
    });
  }
}

function tooManyRedirects(url: string): TransportError {
  const { origin } = parseHttpUrl(url);
  return new TransportError('NETWORK_REDIRECTS', `${origin}: more than ${MAX_REDIRECTS} redirects.`, {
    retryable: false,
  });
}

/**
 * Removes secrets from a cross-origin request to a host that the app does not name: drops and reports headers and
 * query parameters that contain a secret.
 *
 * @throws NETWORK_REFUSED if the body, path or host contains a secret
 */
export function withholdSecrets(request: TransportRequest, rule: CrossOriginPolicy): TransportRequest {
  if (request.body !== undefined && rule.holdsSecret(utf8Text(request.body))) {
    throw refusal('in its body', request);
  }
  const { origin, hostname, path } = parseHttpUrl(request.url);
  // The message omits the host, which contains the secret.
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
    `The request would send credentials ${where} to ${host} to http.appHosts (app-host in iml.config.json) to allow it.`,
    { retryable: false },
  );
}

function withoutSecretPairs(url: string, rule: CrossOriginPolicy, withheld: string[]): string {
  const mark = url.indexOf('?');
  if (mark === -1) return url;
  const pairs = url.slice(mark + 1);
  const kept = pairs.split('&').filter((pair) => {
    const isSecret = rule.holdsSecret(pair);
    if (isSecret) withheld.push('a query parameter');
    return !isSecret;
  });
  const query = kept.join('&');
  // The secret itself contains `&`.
  if (query !== '' && rule.holdsSecret(query)) withheld.push('the query');
  return query === '' || rule.holdsSecret(query) ? url.slice(0, mark) : `${url.slice(0, mark)}?${query}`;
}
