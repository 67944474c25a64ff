import { TransportError } from '../../errors/transport-error.js';
import { finishAtOnce, type Parts, resumable, spend } from '../../iml/values/work.js';
import { Turns } from '../../util/turns.js';
import { parseHttpUrl } from '../message/http-url.js';
import { decodeFormComponent } from '../message/percent-encoding.js';
import type { CrossingRule, HeaderEntry, TransportRequest } from '../message/transport.js';

/** Bytes of a body that are looked through at a time, and at least of those before them once more: a secret may begin there. */
const PIECE_BYTES = 64 * 1024;
const LEAST_OVERLAP_BYTES = 16 * 1024;
/** As much as the longest secrets take in hex or escaped once; shorter ones are found however they are written. */
const MOST_OVERLAP_BYTES = 512 * 1024;

/**
 * Bytes a character of a secret may take in the body: one of three bytes of UTF-8, escaped three times for an address, takes 21, and a
 * reference of HTML that is escaped so, 26. [choice]
 */
const BYTES_OF_CHARACTER = 28;

/** A longer body is not read for secrets that were cut into several of its members or fields. */
const MAX_READ_BYTES = 1024 * 1024;

/** Steps that a byte which is looked through counts for. */
const STEPS_OF_BYTE = 1.5;

/**
 * A request without what its sender knows as secret, as it may go to a host that nobody named: headers and pairs of the
 * query that hold a secret, or a part of one that was cut, are left out, and told. A large body is looked through in parts.
 *
 * @throws NETWORK_REFUSED for a body, a path or a host that holds a secret, as none can go without a part of it
 */
export function withholdSecrets(request: TransportRequest, rule: CrossingRule): TransportRequest {
  const isSecret = resumable(
    () => finishAtOnce(searchBody(request.body, rule)),
    () => searchBody(request.body, rule),
  );
  return withholdFrom(request, isSecret, rule);
}

/** `withholdSecrets` where nothing is begun anew. */
export async function withholdSecretsInTurns(
  request: TransportRequest,
  rule: CrossingRule,
): Promise<TransportRequest> {
  const isSecret = await new Turns().finish(searchBody(request.body, rule));
  return withholdFrom(request, isSecret, rule);
}

/** Whether a body holds a secret, in one text or cut into several members of JSON or fields of a form. */
function* searchBody(body: Uint8Array | undefined, rule: CrossingRule): Parts<boolean> {
  if (body === undefined) return false;
  const wanted = Math.max(LEAST_OVERLAP_BYTES, BYTES_OF_CHARACTER * rule.longestSecret());
  const overlap = Math.min(wanted, MOST_OVERLAP_BYTES);
  const length = Math.max(PIECE_BYTES, overlap);
  for (let start = 0; start < body.byteLength; start += length) {
    const piece = body.subarray(Math.max(0, start - overlap), start + length);
    spend(STEPS_OF_BYTE * piece.byteLength);
    if (rule.holdsSecret(readText(piece))) return true;
    yield;
  }
  if (body.byteLength > MAX_READ_BYTES) return false;
  spend(STEPS_OF_BYTE * body.byteLength);
  const text = readText(body);
  return [listMemberTexts(text), listPairValues(text), listPartTexts(text), listXmlTexts(text)].some(
    (texts) => rule.findCut(texts).includes(true),
  );
}

/** Texts of JSON. */
function listMemberTexts(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(text, (_name, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
      return undefined;
    });
  } catch {
    return [];
  }
  return texts;
}

/** What stands in the parts of a multipart body, behind their headers. */
function listPartTexts(text: string): readonly string[] {
  const [delimiter] = /^--[^\r\n]{1,200}/.exec(text) ?? [];
  if (delimiter === undefined) return [];
  return text.split(`\r\n${delimiter}`).map((part) => part.slice(part.indexOf('\r\n\r\n') + 4));
}

/** Texts between tags, and values of attributes; blanks between two elements part nothing. */
function listXmlTexts(text: string): readonly string[] {
  if (!/^\s*</.test(text)) return [];
  const found = text.matchAll(/>([^<>]+)(?=<)|="([^"<]*)"|='([^'<]*)'/g);
  return [...found]
    .map(([, between, double, single]) => between ?? double ?? single ?? '')
    .filter((each) => /\S/.test(each));
}

function listPairValues(text: string): readonly string[] {
  if (!text.includes('=')) return [];
  return text.split('&').map((pair) => decodeFormComponent(pair.slice(pair.indexOf('=') + 1)));
}

function withholdFrom(
  request: TransportRequest,
  isSecretBody: boolean,
  rule: CrossingRule,
): TransportRequest {
  if (isSecretBody) throw refusal('in its body', request);
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
  const cut = rule.findCut(headers.map(([, value]) => value));
  return headers.filter(([name, value], index) => {
    if (rule.holdsSecret(name) || rule.holdsCredential(name.toLowerCase())) {
      withheld.push('a header whose name is secret');
      return false;
    }
    const isSecret = rule.isSecretHeader(name) || rule.holdsSecret(value) || cut[index] === true;
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
  const cut = rule.findCut(listPairValues(pairs));
  const kept = pairs.split('&').filter((pair, index) => {
    const isSecret = rule.holdsSecret(pair) || cut[index] === true;
    if (isSecret) withheld.push('a parameter of the query');
    return !isSecret;
  });
  const query = kept.join('&');
  // A secret with `&` in it, written as it is.
  if (query !== '' && rule.holdsSecret(query)) withheld.push('the query');
  return query === '' || rule.holdsSecret(query) ? url.slice(0, mark) : `${url.slice(0, mark)}?${query}`;
}
