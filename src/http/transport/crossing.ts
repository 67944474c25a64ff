import { TransportError } from '../../errors/engine-error.js';
import { parseHttpUrl } from '../message/http-url.js';
import type { CrossingRule, HeaderEntry, TransportRequest } from '../message/transport.js';

/**
 * A cross-origin request without the secrets of its sender, for a host that the app does not name: headers and query
 * parameters that hold a secret are dropped and reported.
 *
 * @throws NETWORK_REFUSED for a body, a path or a host that holds a secret, as none can be sent without a part of it
 */
export function withholdSecrets(request: TransportRequest, rule: CrossingRule): TransportRequest {
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
  rule: CrossingRule,
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

function withoutSecretPairs(url: string, rule: CrossingRule, withheld: string[]): string {
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
