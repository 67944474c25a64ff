import { TransportError } from '../../errors/transport-error.js';
import { parseHttpUrl } from '../message/http-url.js';
import type { CrossingRule, TransportRequest } from '../message/transport.js';

/** Bodies are looked through so far. */
const MAX_SEARCHED_BYTES = 1024 * 1024;

/**
 * A request without what its sender knows as secret, as it may go to a host that nobody named: headers and pairs of the
 * query that hold a secret are left out, and told.
 *
 * @throws NETWORK_REFUSED for a body that holds a secret, as a body cannot go without a part of it
 */
export function withholdSecrets(request: TransportRequest, rule: CrossingRule): TransportRequest {
  const { origin } = parseHttpUrl(request.url);
  if (request.body !== undefined && rule.holdsSecret(bodyText(request.body))) {
    throw new TransportError(
      'NETWORK_REFUSED',
      `The request would take credentials in its body to ${origin}, a host the app does not name. Add it to network.appHosts (--app-host) to send them there.`,
      { retryable: false },
    );
  }
  const withheld: string[] = [];
  const headers = request.headers.filter(([name, value]) => {
    const isSecret = rule.isSecretHeader(name) || rule.holdsSecret(value);
    if (isSecret) withheld.push(`the header ${name}`);
    return !isSecret;
  });
  const url = withoutSecretPairs(request.url, rule, withheld);
  if (withheld.length > 0) rule.onWithheld(withheld, origin);
  return { ...request, url, headers };
}

function bodyText(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_SEARCHED_BYTES)).toString(
    'utf8',
  );
}

function withoutSecretPairs(url: string, rule: CrossingRule, withheld: string[]): string {
  const mark = url.indexOf('?');
  if (mark === -1) return url;
  const kept = url
    .slice(mark + 1)
    .split('&')
    .filter((pair) => {
      const isSecret = rule.holdsSecret(pair);
      if (isSecret) withheld.push('a parameter of the query');
      return !isSecret;
    });
  return kept.length === 0 ? url.slice(0, mark) : `${url.slice(0, mark)}?${kept.join('&')}`;
}
