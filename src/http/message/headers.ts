import { isEngineError, TransportError } from '../../errors/engine-error.js';
import { describeType } from '../../iml/values/value-kind.js';
import { requestInvalid } from './http-url.js';
import type { HeaderEntry, ResponseHeaders } from './transport.js';

interface BuiltHeaders {
  readonly headers: readonly HeaderEntry[];
  /** Names the spec set that the transport alone decides; they are left out. */
  readonly ignored: readonly string[];
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Headers that say how one message travels. A spec that sets one (copied from a browser, mostly) would break the
 * message or smuggle a second one, while the transport writes the right one anyway. [inf]
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
 * `tESt-wiTh-dAsh` as it is sent: `Test-With-Dash`. What no header can be called stays as it is.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export function headerName(name: string): string {
  if (!TOKEN.test(name)) return name;
  return name
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join('-');
}

/**
 * Merges header objects by name without case: the later one wins and keeps the place of the first.
 * Works on raw and on evaluated values. Source: https://developers.make.com/custom-apps-documentation/app-components/base. [inf]
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
 * Evaluated headers as they are sent. Undefined and null are left out, a list gives one header an item.
 * `Host` names the host of the address, and is refused otherwise, as the guard has judged the address; where the user took
 * the request to another server it is sent as given.
 *
 * @param layers evaluated, by name; those of a later one win
 * @param host of the address, with the port if it is not the default
 * @param isRedirected whether the user of the engine took requests for this address elsewhere; asked where it matters
 * @throws REQUEST_INVALID for a name that is no token, and for a value with line breaks, NUL or characters beyond Latin-1; ImlError
 *   `IML_LIMIT` for more headers than `withinSteps` allows
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
      // What is written anyway need not be written twice.
      if (isRedirected()) headers.push([name, texts[0] ?? host]);
      else atMember(name, () => assertOwnHost(texts, host));
    } else {
      for (const text of texts) headers.push([name, text]);
    }
  }
  return { headers, ignored };
}

function headerTexts(name: string, value: unknown): string[] {
  if (!TOKEN.test(name)) throw requestInvalid(`${shownName(name)} is no name a header can have.`);
  const texts = fieldTexts(value, () => `Header ${shownName(name)}`);
  for (const text of texts) {
    const bad = BAD_VALUE.exec(text)?.[0];
    if (bad !== undefined) {
      throw requestInvalid(
        `Header ${shownName(name)} holds ${describeCharacter(bad)}, which a header cannot hold.`,
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
  throw requestInvalid('Header "Host" names another host than the address. Leave it out.');
}

function describeCharacter(character: string): string {
  if (character === '\r' || character === '\n') return 'a line break';
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The first value of a header, by name without case. */
export function findHeader(headers: readonly HeaderEntry[], name: string): string | undefined {
  const lower = name.toLowerCase();
  return headers.find((entry) => entry[0].toLowerCase() === lower)?.[1];
}

/** The headers with one set: it takes the place of all that had the name, or stands last. */
export function withHeader(headers: readonly HeaderEntry[], name: string, value: string): HeaderEntry[] {
  return [...withoutHeaders(headers, (other) => other === name.toLowerCase()), [name, value]];
}

/** The headers without those whose lower-case name fits. */
export function withoutHeaders(
  headers: readonly HeaderEntry[],
  isDropped: (lowerCaseName: string) => boolean,
): HeaderEntry[] {
  return headers.filter((entry) => !isDropped(entry[0].toLowerCase()));
}

interface ContentType {
  /** `type/subtype` in lower case; empty where the header is absent or unreadable. */
  readonly mediaType: string;
  /** The charset parameter as written, without quotes. */
  readonly charset: string | undefined;
}

/** Reads `Content-Type`; of several in one header the first counts. */
export function readContentType(header: string | undefined): ContentType {
  const text = header?.split(',', 1)[0] ?? '';
  const mediaType = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(text)?.[1];
  return { mediaType: mediaType.includes('/') ? mediaType : '', charset };
}

/** The text of a response header; a list is joined. */
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

/** Whether a body of this type can be read as text. */
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
 * A value as text in a query, a header or a form; undefined for what is left out (undefined and null).
 * Dates become ISO 8601 text.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [app]; dates and numbers [inf].
 *
 * @param what gives the name of the field for a message, such as `Header "X-A"`; its value is never printed
 * @throws REQUEST_INVALID for what has no text: objects, lists, binary data, functions
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
      throw requestInvalid(`${what()} is a ${typeof value}, which has no text.`);
  }
  if (value === null) return undefined;
  if (value instanceof Date) return dateText(value, what);
  throw requestInvalid(
    `${what()} is ${Array.isArray(value) ? 'a list inside a list' : describeType(value)}; it must be text, a number, a boolean or a date.`,
  );
}

/**
 * The texts of a field that may be a list; a list gives one text an item, and items without a value are left out.
 * @throws REQUEST_INVALID as `fieldText`
 */
export function fieldTexts(value: unknown, what: () => string): string[] {
  const texts: string[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = fieldText(item, what);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

/** A date as ISO 8601 text. @throws REQUEST_INVALID for a date that is none */
function dateText(date: Date, what: () => string): string {
  if (Number.isNaN(date.getTime())) throw requestInvalid(`${what()} is a date that does not exist.`);
  return date.toISOString();
}

/** Runs a step that builds on one member of `qs`, `headers` or `body`; its failure names that member. */
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
