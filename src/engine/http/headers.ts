import { describeType } from '../../language/values/value.js';
import { isEngineError, requestInvalid, TransportError } from '../../shared/errors/engine-error.js';
import type { HeaderEntry, ResponseHeaders } from './transport.js';

interface BuiltHeaders {
  readonly headers: readonly HeaderEntry[];
  /** Ignored headers: only the transport may set them. */
  readonly ignored: readonly string[];
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Hop-by-hop and framing headers. A spec that sets one (usually copied from a browser) would break the message or
 * allow request smuggling; the transport sets the correct value. [inf]
 */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Normalizes `tESt-wiTh-dAsh` to `Test-With-Dash`. Invalid names stay unchanged. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export function headerName(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join('-');
}

/**
 * Merges header objects by case-insensitive name: later values win and keep the position of the first. Works on raw
 * and evaluated values. Source: https://developers.make.com/custom-apps-documentation/app-components/base. [inf]
 */
export function mergeHeaders(
  ...layers: readonly (Readonly<Record<string, unknown>> | undefined)[]
): Record<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) merged.set(headerName(name), value);
  }
  return Object.fromEntries(merged);
}

/**
 * Builds the headers of a request. Skips undefined and null; a list becomes repeated headers. `Host` has to match the
 * URL, as the network guard checked that host, unless the user redirected the request to another server.
 *
 * @param layers evaluated headers by name; later layers win
 * @param host of the URL, with a port that is not the default
 * @param isRedirected whether the user redirected requests for this URL; called only if needed
 * @throws REQUEST_INVALID for an invalid name, and for a value with line breaks, NUL or characters beyond Latin-1;
 * ImlError
 *   (IML_LIMIT) for more headers than `withinSteps` allows
 */
export function buildHeaders(
  layers: readonly Readonly<Record<string, unknown>>[],
  host: string,
  isRedirected: () => boolean = () => false,
): BuiltHeaders {
  const headers: HeaderEntry[] = [];
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(mergeHeaders(...layers))) {
    const texts = atMember(name, () => headerTexts(name, value));
    const lower = name.toLowerCase();
    if (texts.length === 0) continue;
    if (TRANSPORT_HEADERS.has(lower)) {
      ignored.push(name);
    } else if (lower === 'host') {
      // The transport writes the same value.
      if (isRedirected()) headers.push([name, texts[0] ?? host]);
      else atMember(name, () => assertOwnHost(texts, host));
    } else {
      for (const text of texts) headers.push([name, text]);
    }
  }
  return { headers, ignored };
}

function headerTexts(name: string, value: unknown): string[] {
  if (!TOKEN.test(name)) throw requestInvalid(`${shownName(name)} is not a valid header name.`);
  const texts = fieldTexts(value, () => `Header ${shownName(name)}`);
  for (const text of texts) {
    const bad = BAD_VALUE.exec(text)?.[0];
    if (bad !== undefined) {
      throw requestInvalid(
        `Header ${shownName(name)} contains ${describeCharacter(bad)}, which is not allowed in a header.`,
      );
    }
  }
  return texts;
}

function shownName(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

function assertOwnHost(texts: readonly string[], host: string): void {
  if (texts.every((text) => text.toLowerCase() === host.toLowerCase())) return;
  throw requestInvalid('Header "Host" does not match the host of the URL. Remove it.');
}

function describeCharacter(character: string): string {
  if (character === '\r' || character === '\n') return 'a line break';
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the first value of a header, by case-insensitive name. */
export function findHeader(headers: readonly HeaderEntry[], name: string): string | undefined {
  const lower = name.toLowerCase();
  return headers.find((entry) => entry[0].toLowerCase() === lower)?.[1];
}

/** Sets a header. The new value replaces all values of that name and is appended. */
export function withHeader(headers: readonly HeaderEntry[], name: string, value: string): HeaderEntry[] {
  return [...withoutHeaders(headers, (other) => other === name.toLowerCase()), [name, value]];
}

/** Removes headers by lower-case name. */
export function withoutHeaders(
  headers: readonly HeaderEntry[],
  isDropped: (lowerCaseName: string) => boolean,
): HeaderEntry[] {
  return headers.filter((entry) => !isDropped(entry[0].toLowerCase()));
}

interface ContentType {
  /** `type/subtype` in lower case; empty if the header is absent or invalid. */
  readonly mediaType: string;
  /** The charset parameter as written, without quotes. */
  readonly charset: string | undefined;
}

/** Parses `Content-Type`. The first of several values counts. */
export function readContentType(header: string | undefined): ContentType {
  const text = header?.split(',', 1)[0] ?? '';
  const mediaType = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(text)?.[1];
  return { mediaType: mediaType.includes('/') ? mediaType : '', charset };
}

/** Returns the text of a response header; joins a list. */
export function responseHeader(headers: ResponseHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

export function isXmlMediaType(mediaType: string): boolean {
  return mediaType === 'application/xml' || mediaType === 'text/xml' || mediaType.endsWith('+xml');
}

/** Whether a body of this type is text. */
export function isTextMediaType(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    isJsonMediaType(mediaType) ||
    isXmlMediaType(mediaType) ||
    mediaType === 'application/x-www-form-urlencoded' ||
    mediaType === 'application/javascript'
  );
}

/**
 * Converts a value to the text of a query, header or form field. Returns undefined for undefined and null. Dates
 * become ISO 8601 text. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [app]; dates and numbers
 * [inf].
 *
 * @param what returns the name of the field for messages, such as `Header "X-A"`; values are never printed
 * @throws REQUEST_INVALID for values without a text form: objects, lists, binary data, functions
 */
export function fieldText(value: unknown, what: () => string): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return undefined;
    case 'object':
      break;
    default:
      throw requestInvalid(`${what()} is a ${typeof value}, which cannot be converted to text.`);
  }
  if (value === null) return undefined;
  if (value instanceof Date) return dateText(value, what);
  throw requestInvalid(
    `${what()} is ${Array.isArray(value) ? 'a list inside a list' : describeType(value)}; it must be text, a number, a boolean or a date.`,
  );
}

/**
 * Converts a value or a list of values to texts. Skips items without a value.
 *
 * @throws REQUEST_INVALID like `fieldText`
 */
export function fieldTexts(value: unknown, what: () => string): string[] {
  const texts: string[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = fieldText(item, what);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/**
 * Converts a date to ISO 8601 text.
 *
 * @throws REQUEST_INVALID for an invalid date
 */
function dateText(date: Date, what: () => string): string {
  if (Number.isNaN(date.getTime())) throw requestInvalid(`${what()} is an invalid date.`);
  return date.toISOString();
}

/** Runs a step for one member of `qs`, `headers` or `body`, and adds the member's name to its error. */
export function atMember<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw ofMember(name, error);
  }
}

function ofMember(name: string, error: unknown): unknown {
  if (isEngineError(error, TransportError)) error.member ??= name;
  return error;
}
