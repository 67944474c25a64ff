import { createBoundedCache } from '../../shared/bounded-cache.js';
import { requestInvalid } from '../../shared/errors/engine-error.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { trimTrailing } from '../../shared/text.js';
import { atMember, fieldTexts } from './headers.js';
import type { HttpServer } from './transport.js';

/** The parts of an HTTP URL. */
export interface HttpUrl extends HttpServer {
  /** As written; at least `/`. */
  readonly path: string;
  /** As written, without the question mark; undefined if absent. */
  readonly query: string | undefined;
}

const HTTP_URL = /^(https?):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/is;

/** Characters that are invalid in an authority. The URL parser would silently drop some of them. */
const BAD_AUTHORITY = /[\p{Cc}\s\\@]/u;

/**
 * Splits an absolute HTTP URL. Normalizes the authority like browsers (numbers to dotted IPv4, names to punycode), so
 * that the network guard checks the host that is connected to. Path and query stay unchanged byte by byte, as `new
 * URL` would resolve `%2e%2e` and `..`. Drops the fragment.
 *
 * @throws REQUEST_INVALID for other schemes, user names, invalid ports and invalid hosts
 */
export function parseHttpUrl(url: string): HttpUrl {
  const match = HTTP_URL.exec(url);
  if (match === null) throw requestInvalid(notHttp(url));
  const [, scheme = '', authority = '', path = '', query] = match;
  const { protocol, hostname, host, origin } = parseAuthority(scheme, authority);
  return {
    origin,
    protocol: protocol === 'https:' ? 'https:' : 'http:',
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    host,
    path: path === '' ? '/' : path,
    query,
  };
}

/** Cached, as a run calls few hosts and several steps read each URL. */
const AUTHORITIES = createBoundedCache<URL>(256);

function parseAuthority(scheme: string, authority: string): URL {
  const key = `${scheme}://${authority}/`;
  const known = AUTHORITIES.get(key);
  if (known !== undefined) return known;
  const parsed = readAuthority(scheme, authority);
  AUTHORITIES.set(key, parsed);
  return parsed;
}

function readAuthority(scheme: string, authority: string): URL {
  if (authority === '') throw requestInvalid('The URL has no host.');
  if (authority.includes('@')) {
    throw requestInvalid('The URL contains a user name. Send credentials in a header instead.');
  }
  if (BAD_AUTHORITY.test(authority)) {
    throw requestInvalid('The host of the URL contains a space, a backslash or a control character.');
  }
  let parsed: URL;
  try {
    parsed = new URL(`${scheme}://${authority}/`);
  } catch (cause) {
    throw requestInvalid(`The host of the URL is invalid: ${JSON.stringify(shorten(authority))}.`, cause);
  }
  // A trailing dot of the host is dropped. [rt]
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.replace(/\.+$/, '');
  if (parsed.port === '0') throw requestInvalid('The port of the URL is 0.');
  return parsed;
}

function notHttp(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:/i.exec(url)?.[0].toLowerCase();
  if (scheme === 'http:' || scheme === 'https:') return `The URL needs two slashes after ${scheme}`;
  if (scheme !== undefined)
    return `The scheme ${scheme} of the URL is not supported: expected http: or https:.`;
  return 'The URL is not absolute: expected http:// or https:// at its start.';
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * Whether two servers are the same. An upgrade from http to https on default ports counts as the same server, a
 * downgrade does not.
 */
export function isSameHost(from: HttpServer, to: HttpServer): boolean {
  if (from.protocol === 'https:' && to.protocol === 'http:') return false;
  return from.host === to.host;
}

/** Query names and values before encoding. */
type QueryValues = Readonly<Record<string, unknown>>;

export interface BuildUrlOptions {
  /** Evaluated; absolute, or relative to `baseUrl`. */
  readonly url: string;
  /** Evaluated. Ignored if `url` is absolute. */
  readonly baseUrl?: string | undefined;
  /** Default: true. */
  readonly encodeUrl?: boolean | undefined;
  /** `qs` of the base, or of the request that a page belongs to. */
  readonly inheritedQs?: QueryValues | undefined;
  /** `qs` beside `url`. */
  readonly qs?: QueryValues | undefined;
  /** Called for a member of either `qs` that is a collection; only its name is sent. */
  readonly onCollection?: ((name: string) => void) | undefined;
}

/** A URL that can be requested. */
export interface BuiltUrl {
  /** Absolute and encoded, without a fragment. */
  readonly url: string;
  readonly server: HttpServer;
}

interface Pair {
  /** Decoded, for comparison. */
  readonly name: string;
  /** Encoded. */
  readonly text: string;
}

/** Schemes that cannot start a relative path, unlike `items:batchGet`. */
const OTHER_SCHEME =
  /^(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:about|blob|data|file|ftp|https?|javascript|mailto|unix|wss?):)/i;

/**
 * Builds the absolute, encoded URL of a request. `encodeUrl` applies to the whole text of `url`. In the path, `%`
 * becomes `%25` [doc]; in the query, existing percent-encodings stay, as next-page links are already encoded, and
 * other `%` become `%25` [choice]. Pairs of `qs` are data and always encoded in full.
 *
 * Precedence of a query name, lowest first: inherited qs, the query in `url`, own qs. The highest source with the name
 * provides all its values. A name in own qs removes an inherited one even if its value is undefined, as base and
 * component are merged before evaluation; a query in `url` is replaced by a value only. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for an invalid URL, and for a qs value without a text form (a nested list, binary data);
 * ImlError
 *   (IML_LIMIT) for a URL beyond the limit of `withinSteps`
 */
export function buildUrl(options: BuildUrlOptions): BuiltUrl {
  const { address, server, urlPairs: all } = prepareAddress(options);
  const { qs = {}, inheritedQs = {}, onCollection } = options;
  const own = toPairs(qs, onCollection);
  const written = withoutNames(all, () => listNames(own));
  const inherited = withoutNames(toPairs(inheritedQs, onCollection), () => [
    ...Object.keys(qs),
    ...listNames(written),
  ]);

  let url = address;
  let mark = '?';
  for (const pairs of [written, inherited, own]) {
    for (const { text } of pairs) {
      url += mark + text;
      mark = '&';
    }
  }
  return { url, server };
}

function listNames(pairs: readonly Pair[]): readonly string[] {
  return pairs.map((pair) => pair.name);
}

function withoutNames(pairs: readonly Pair[], names: () => readonly string[]): readonly Pair[] {
  if (pairs.length === 0) return pairs;
  const shadowed = new Set(names());
  return pairs.filter((pair) => !shadowed.has(pair.name));
}

/** The part that depends on `url` and `baseUrl` only. */
interface PreparedAddress {
  /** Encoded origin and path. */
  readonly address: string;
  readonly server: HttpServer;
  /** Pairs of the query in the URL. */
  readonly urlPairs: readonly Pair[];
}

/** Cached, as the pages of a list differ in their query only. */
const PREPARED = createBoundedCache<PreparedAddress>(256);
const MAX_CACHED_LENGTH = 2048;

function prepareAddress({ url, baseUrl, encodeUrl }: BuildUrlOptions): PreparedAddress {
  const key = `${encodeUrl === false} ${baseUrl ?? ''}\n${url}`;
  const known = PREPARED.get(key);
  if (known !== undefined) return known;
  const encode = encodeUrl === false ? encodeUnprintable : encodeWhole;
  const encodeQuery = encodeUrl === false ? encodeUnprintable : encodeRest;
  const { path, query } = splitQuery(joinUrl(url.trim(), baseUrl?.trim()));
  const { path: ownPath, ...server } = parseHttpUrl(path);
  // Repeated slashes collapse, and a second question mark separates pairs. [rt]
  const address = server.origin + encode(ownPath.replace(/\/{2,}/g, '/'));
  const urlPairs = pairsOfText(encodeQuery(query.replaceAll('?', '&')));
  const prepared = { address, server, urlPairs };
  if (key.length <= MAX_CACHED_LENGTH) PREPARED.set(key, prepared);
  return prepared;
}

/** Joins `baseUrl` and a relative `url` with exactly one slash. An absolute `url` stays unchanged. [doc] */
function joinUrl(url: string, baseUrl: string | undefined): string {
  if (/^https?:\/\//i.test(url)) return url;
  if (OTHER_SCHEME.test(url)) {
    parseHttpUrl(url);
    throw requestInvalid('The scheme of the URL is not supported: expected http or https.');
  }
  // Browsers treat a backslash as a slash, servers do not.
  if (/^\/*\\/.test(url)) {
    throw requestInvalid('The URL starts with a backslash: expected https:// or a slash.');
  }
  if (baseUrl === undefined || baseUrl === '') {
    throw requestInvalid(
      'The URL is relative and there is no baseUrl. Start it with https://, or set baseUrl.',
    );
  }
  const { path, query } = splitQuery(baseUrl);
  const base = trimTrailing(path, '/');
  const { path: relativePath, query: relativeQuery } = splitQuery(url);
  const rest = relativePath.replace(/^\/+/, '');
  const joined = rest === '' && !url.startsWith('/') ? base : `${base}/${rest}`;
  const queries = [query, relativeQuery].filter((text) => text !== '').join('&');
  return queries === '' ? joined : `${joined}?${queries}`;
}

/** Drops the fragment, which is never sent. */
function splitQuery(url: string): { path: string; query: string } {
  const fragment = url.indexOf('#');
  const sent = fragment === -1 ? url : url.slice(0, fragment);
  const mark = sent.indexOf('?');
  return mark === -1 ? { path: sent, query: '' } : { path: sent.slice(0, mark), query: sent.slice(mark + 1) };
}

/** Keeps the query of `url` as written; decodes names for comparison only. */
function pairsOfText(query: string): Pair[] {
  return query
    .split('&')
    .filter((text) => text !== '')
    .map((text) => ({ name: decodeFormComponent(text.split('=', 1)[0] ?? ''), text }));
}

function toPairs(values: QueryValues, onCollection: BuildUrlOptions['onCollection']): Pair[] {
  const pairs: Pair[] = [];
  for (const name of Object.keys(values)) {
    const value = withoutCollections(values[name], () => onCollection?.(name));
    for (const text of atMember(name, () => fieldTexts(value, () => `qs ${JSON.stringify(name)}`))) {
      pairs.push({ name, text: `${encodeComponent(name)}=${encodeComponent(text)}` });
    }
  }
  return pairs;
}

/** A collection has no text form, but published apps send one: it becomes its name with an empty value. [choice] */
function withoutCollections(value: unknown, onCollection: () => void): unknown {
  if (Array.isArray(value)) {
    return value.some((item) => isPlainObject(item))
      ? value.map((item: unknown) => withoutCollections(item, onCollection))
      : value;
  }
  if (!isPlainObject(value)) return value;
  onCollection();
  return '';
}

/**
 * Percent-encoding in three dialects. A lone surrogate counts as U+FFFD, where `encodeURIComponent` throws a URIError.
 */

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Unreserved characters, RFC 3986 section 2.3. */
const UNRESERVED = /^[\w.~-]*$/;

/** Encodes everything but unreserved characters (RFC 3986). For names and values of a query; most need no encoding. */
export function encodeComponent(text: string): string {
  if (UNRESERVED.test(text)) return text;
  const encoded = encodeURIComponent(wellFormed(text));
  return SUB_DELIMITER.test(encoded) ? encodeSubDelimiters(encoded) : encoded;
}

/** Characters that `encodeURIComponent` keeps but RFC 3986 reserves. */
const SUB_DELIMITER = /[!'()*]/;

/** Separate replacements are about ten times faster than one with a callback. */
function encodeSubDelimiters(text: string): string {
  return text
    .replace(/!/g, '%21')
    .replace(/'/g, '%27')
    .replace(/\(/g, '%28')
    .replace(/\)/g, '%29')
    .replace(/\*/g, '%2A');
}

/** Encodes `application/x-www-form-urlencoded`: space becomes `+`, letters, digits and `*-._` stay. */
export function encodeFormComponent(text: string): string {
  if (FORM_UNRESERVED.test(text)) return text;
  const source = Buffer.from(text, 'utf8');
  const target = Buffer.allocUnsafe(3 * source.length);
  let length = 0;
  // An index loop is twice as fast as the iterator of a buffer.
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0;
    const written = FORM_BYTES[byte] ?? 0;
    if (written !== 0) {
      target[length++] = written;
    } else {
      target[length++] = 0x25;
      target[length++] = HEX_DIGITS[byte >> 4] ?? 0;
      target[length++] = HEX_DIGITS[byte & 15] ?? 0;
    }
  }
  return target.toString('latin1', 0, length);
}

const FORM_UNRESERVED = /^[\w*.-]*$/;

const HEX_DIGITS: Uint8Array = Buffer.from('0123456789ABCDEF');

/** Output byte by input byte; 0 for bytes that are escaped. */
const FORM_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0x20) return 0x2b;
  return byte < 0x80 && FORM_UNRESERVED.test(String.fromCharCode(byte)) ? byte : 0;
});

/**
 * Encodes everything but unreserved characters and reserved delimiters, and always `%`. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
function encodeWhole(text: string): string {
  return encodeURI(wellFormed(text)).replaceAll('%5B', '[').replaceAll('%5D', ']');
}

/** Same as `encodeWhole`, but keeps existing percent-encodings. */
function encodeRest(text: string): string {
  return encodeWhole(text).replace(/%25(?=[0-9A-Fa-f]{2})/g, '%');
}

/** Encodes spaces, control characters and characters beyond ASCII, which a request line cannot contain. [inf] */
function encodeUnprintable(text: string): string {
  return wellFormed(text).replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** Decodes percent-encoded text. Invalid escapes and invalid UTF-8 stay readable. */
export function decodeComponent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return Buffer.from(unescapeBytes(text)).toString('utf8');
  }
}

/** Decodes a name or value of a query or form, where `+` is a space. */
export function decodeFormComponent(text: string): string {
  return decodeComponent(withSpaces(text));
}

/** `split` and `join` are about four times faster than `replaceAll` for many matches. */
function withSpaces(text: string): string {
  return text.includes('+') ? text.split('+').join(' ') : text;
}

function unescapeBytes(text: string): Uint8Array {
  const source = Buffer.from(text, 'utf8');
  const target = Buffer.alloc(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const byte = source[index] ?? 0;
    const high = byte === 0x25 ? readDigit(source[index + 1]) : -1;
    const low = high < 0 ? -1 : readDigit(source[index + 2]);
    target[length++] = low < 0 ? byte : high * 16 + low;
    if (low >= 0) index += 2;
  }
  return target.subarray(0, length);
}

/** Returns the value of a hexadecimal digit, or -1. */
function readDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd');
}
