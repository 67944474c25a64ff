import { TransportError } from '../../errors/transport-error.js';
import { Turns } from '../../util/turns.js';
import { parseHttpUrl } from '../message/http-url.js';
import type { CrossingRule, TransportRequest } from '../message/transport.js';

/** Bodies are looked through at once so far: no link of a page is asked for with more. */
const MAX_SEARCHED_BYTES = 1024 * 1024;

/** Bytes of a larger body that are looked through at a time, and at least of those before them once more: a secret may begin there. */
const PIECE_BYTES = 64 * 1024;
const OVERLAP_BYTES = 16 * 1024;

/** Bytes a character of a secret may take in the body: escaped for an address more than once, or in hex of UTF-8. [choice] */
const BYTES_OF_CHARACTER = 8;

/**
 * A request without what its sender knows as secret, as it may go to a host that nobody named: headers and pairs of the
 * query that hold a secret are left out, and told.
 *
 * @throws NETWORK_REFUSED for a body or a path that holds a secret, as neither can go without a part of it; for a body that is too
 *   large to be looked through at once
 */
export function withholdSecrets(request: TransportRequest, rule: CrossingRule): TransportRequest {
  const { body } = request;
  if (body !== undefined && (body.byteLength > MAX_SEARCHED_BYTES || rule.holdsSecret(readText(body)))) {
    throw refusal('in its body', request);
  }
  return withholdFromHead(request, rule);
}

/** `withholdSecrets` for a body of any size. */
export async function withholdSecretsInTurns(
  request: TransportRequest,
  rule: CrossingRule,
): Promise<TransportRequest> {
  const { body } = request;
  if (body === undefined || body.byteLength <= MAX_SEARCHED_BYTES) return withholdSecrets(request, rule);
  const turns = new Turns();
  const overlap = Math.max(OVERLAP_BYTES, BYTES_OF_CHARACTER * rule.longestSecret());
  const length = Math.max(PIECE_BYTES, overlap);
  for (let start = 0; start < body.byteLength; start += length) {
    const piece = body.subarray(Math.max(0, start - overlap), start + length);
    if (rule.holdsSecret(readText(piece))) throw refusal('in its body', request);
    if (turns.isOver) await turns.next();
  }
  return withholdFromHead(request, rule);
}

function withholdFromHead(request: TransportRequest, rule: CrossingRule): TransportRequest {
  const { origin, path } = parseHttpUrl(request.url);
  if (rule.holdsCredential(path)) throw refusal('in its path', request);
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

function refusal(where: string, { url }: TransportRequest): TransportError {
  const { origin } = parseHttpUrl(url);
  return new TransportError(
    'NETWORK_REFUSED',
    `The request would take credentials ${where} to ${origin}, a host the app does not name. Add it to network.appHosts (--app-host) to send them there.`,
    { retryable: false },
  );
}

function readText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
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
  const query = kept.join('&');
  // A secret with `&` in it, written as it is.
  if (query !== '' && rule.holdsSecret(query)) withheld.push('the query');
  return query === '' || rule.holdsSecret(query) ? url.slice(0, mark) : `${url.slice(0, mark)}?${query}`;
}
