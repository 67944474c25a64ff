import { createBoundedCache } from '../../util/bounded-cache.js';
import { isPlainObject } from '../../util/plain-object.js';
import { trimTrailing } from '../../util/text.js';
import { atMember, fieldTexts } from './headers.js';
import { type HttpServer, parseHttpUrl, requestInvalid } from './http-url.js';
import {
  decodeFormComponent,
  encodeComponent,
  encodeRest,
  encodeUnprintable,
  encodeWhole,
} from './percent-encoding.js';

/** Names and values of a query before they are encoded. */
type QueryValues = Readonly<Record<string, unknown>>;

export interface BuildUrlOptions {
  /** Absolute, or relative to `baseUrl`. Evaluated. */
  readonly url: string;
  /** Evaluated. Ignored if `url` is absolute. */
  readonly baseUrl?: string | undefined;
  /** Default: true. */
  readonly encodeUrl?: boolean | undefined;
  /** The `qs` of the base, or of the request a page belongs to. */
  readonly inheritedQs?: QueryValues | undefined;
  /** The `qs` written beside `url`. */
  readonly qs?: QueryValues | undefined;
  /** Told of a member of either qs that is a collection: only its name is sent. */
  readonly onCollection?: ((name: string) => void) | undefined;
}

/** An address that can be called. */
export interface BuiltUrl {
  /** Absolute and encoded, without a fragment. */
  readonly url: string;
  readonly server: HttpServer;
}

interface Pair {
  /** Decoded, to compare. */
  readonly name: string;
  /** As sent. */
  readonly text: string;
}

/** Schemes that are never the first part of a relative path, as `items:batchGet` may be. */
const OTHER_SCHEME =
  /^(?:[a-z][a-z0-9+.-]*:[/\\]{2}|(?:about|blob|data|file|ftp|https?|javascript|mailto|unix|wss?):)/i;

/**
 * The absolute, encoded address of a request. `encodeUrl` covers the whole text of `url`. In its path a `%` is sent as
 * `%25` [doc]; in its query an escape that is one stays as it is, since links of a next page come encoded, and only a `%`
 * that starts none is sent as `%25` [choice]. The pairs of a qs are data and always encoded in full.
 *
 * A name stands in one of three places, the weakest first: inherited qs, the query in `url`, own qs; the strongest
 * that has the name gives all its values. A name of the own qs removes an inherited one even where its value is
 * undefined, as base and component merge before they are evaluated; a query written in `url` gives way only to a value.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for an address that cannot be called, and for a qs value that has no text: a list in a list,
 *   binary data; ImlError `IML_LIMIT` for an address of more characters than `withinSteps` allows
 */
export function buildUrl(options: BuildUrlOptions): BuiltUrl {
  const { address, server, written: all } = prepareAddress(options);
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

/** What `url` and `baseUrl` alone decide. */
interface PreparedAddress {
  /** Origin and path, encoded. */
  readonly address: string;
  readonly server: HttpServer;
  /** The query written in the address. */
  readonly written: readonly Pair[];
}

/** The pages of a list differ in their query: what stays the same is read once. */
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
  // Slashes in a row are one, and a second question mark separates pairs. [rt]
  const address = server.origin + encode(ownPath.replace(/\/{2,}/g, '/'));
  const written = pairsOfText(encodeQuery(query.replaceAll('?', '&')));
  const prepared = { address, server, written };
  if (key.length <= MAX_CACHED_LENGTH) PREPARED.set(key, prepared);
  return prepared;
}

/** An absolute `url` as it is; a relative one behind `baseUrl` with exactly one slash between. [doc] */
function joinUrl(url: string, baseUrl: string | undefined): string {
  if (/^https?:\/\//i.test(url)) return url;
  if (OTHER_SCHEME.test(url)) {
    parseHttpUrl(url);
    throw requestInvalid('The address has a scheme that cannot be called.');
  }
  // Browsers read a backslash as a slash, servers do not.
  if (/^\/*\\/.test(url)) {
    throw requestInvalid('The address starts with a backslash. Start it with https://, or with a slash.');
  }
  if (baseUrl === undefined || baseUrl === '') {
    throw requestInvalid(
      'The address is relative and there is no baseUrl. Start it with https://, or set baseUrl.',
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

/** The fragment is dropped: it is never sent. */
function splitQuery(url: string): { path: string; query: string } {
  const fragment = url.indexOf('#');
  const sent = fragment === -1 ? url : url.slice(0, fragment);
  const mark = sent.indexOf('?');
  return mark === -1 ? { path: sent, query: '' } : { path: sent.slice(0, mark), query: sent.slice(mark + 1) };
}

/** The query of `url` keeps its writing; only names are read, to be compared. */
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

/** A collection has no text, but published apps send one: it goes out as its name with an empty value. [choice] */
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
