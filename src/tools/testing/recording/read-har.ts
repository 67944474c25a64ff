import { transportFailure } from '../../../engine/http/undici-transport.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import {
  isPlainObject,
  ownMember,
  type PlainObject,
  readAt,
  setMember,
} from '../../../shared/plain-object.js';
import type { RecordedCall, RecordedResponse } from './record-transport.js';

/** Calls of a HAR file, and the entries without a call. */
export interface HarCalls {
  readonly calls: readonly RecordedCall[];
  readonly skipped: readonly SkippedEntries[];
}

/** Entries that are skipped for the same reason. */
export interface SkippedEntries {
  /** `without an HTTP URL` */
  readonly reason: string;
  readonly count: number;
}

const MAX_ENTRIES = 10_000;
/** Maximum headers or form pairs per message. */
const MAX_PAIRS = 1000;

/**
 * Reads the calls of a HAR 1.2 file in order. Skips resources of a page: documents, images, styles, scripts,
 * preflights, sockets.
 *
 * @param text the content
 * @param file name of the file in errors
 * @throws EngineError (USAGE) for an invalid HAR, with the invalid member
 */
export function readHar(text: string, file: string): HarCalls {
  const entries = ownMember(readLog(parse(text, file), file), 'entries');
  if (!Array.isArray(entries)) throw notHar(file, 'log.entries', 'a list');
  if (entries.length > MAX_ENTRIES) throw notHar(file, 'log.entries', `a list of at most ${MAX_ENTRIES}`);
  const read = entries.map((entry: unknown, index) =>
    readEntry(entry, { file, at: `log.entries[${index}]` }),
  );
  const calls = read.filter((call) => typeof call !== 'string');
  const skipped = REASONS.map((reason) => ({ reason, count: read.filter((call) => call === reason).length }));
  return {
    calls: calls.toSorted((a, b) => a.startedAtMs - b.startedAtMs),
    skipped: skipped.filter(({ count }) => count > 0),
  };
}

interface Where {
  readonly file: string;
  readonly at: string;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : '';
    throw new EngineError('USAGE', `${file} is not a HAR: it is not JSON (${reason}).`, { cause });
  }
}

function readLog(har: unknown, file: string): PlainObject {
  const log = readAt(har, 'log');
  if (!isPlainObject(log)) throw notHar(file, 'log', 'an object');
  return log;
}

function notHar(file: string, member: string, expected: string): EngineError {
  return new EngineError('USAGE', `${file} is not a HAR: ${member} is not ${expected}.`);
}

/** Resource types of a page. */
const OF_THE_PAGE: ReadonlySet<string> = new Set([
  ...['document', 'stylesheet', 'image', 'media', 'font', 'script', 'texttrack', 'manifest'],
  ...['preflight', 'websocket', 'ping', 'csp-violation-report', 'signedexchange'],
]);

/** Why an entry is no call. */
const REASONS = ['without a valid HTTP URL', 'for resources of a page'] as const;

function readEntry(entry: unknown, where: Where): RecordedCall | (typeof REASONS)[number] {
  if (!isPlainObject(entry)) throw notHar(where.file, where.at, 'an object');
  const request = objectIn(entry, 'request', where);
  const method = textIn(request, 'method', where).toUpperCase();
  const url = textIn(request, 'url', where).replace(/#.*$/s, '');
  const kind = anyText(entry, '_resourceType').toLowerCase();
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return REASONS[0];
  if (method === 'OPTIONS' || OF_THE_PAGE.has(kind)) return REASONS[1];
  const started = Date.parse(anyText(entry, 'startedDateTime'));
  const time = Number(anyText(entry, 'time'));
  const response = readResponse(entry, where);
  return {
    request: {
      method,
      url,
      headers: readHeaders(request, `${where.at}.request.headers`, where),
      body: readPostData(request, where),
    },
    response,
    error: response === undefined ? readFailure(entry, url) : undefined,
    startedAtMs: Number.isNaN(started) ? 0 : started,
    durationMs: Number.isFinite(time) && time > 0 ? Math.round(time) : 0,
  };
}

/** Error texts of browsers; others count as a broken connection. */
const ERRNOS: readonly (readonly [pattern: RegExp, errno: string])[] = [
  [/REFUSED/i, 'ECONNREFUSED'],
  [/NAME_NOT_RESOLVED|ENOTFOUND|UNKNOWN_HOST/i, 'ENOTFOUND'],
  [/TIMED?_?OUT|ABORTED/i, 'ETIMEDOUT'],
  [/CERT/i, 'CERT_HAS_EXPIRED'],
];

function readFailure(entry: PlainObject, url: string): RecordedCall['error'] {
  const written = ownMember(entry, '_error') ?? readAt(entry, 'response', '_error');
  const text = typeof written === 'string' ? written : '';
  const known = ERRNOS.find(([pattern]) => pattern.test(text))?.[1];
  const errno = known ?? (/^E[A-Z]{4,}$/.test(text) ? text : 'ECONNRESET');
  return transportFailure({ code: errno }, new URL(url).origin);
}

function readResponse(entry: PlainObject, where: Where): RecordedResponse | undefined {
  const response = objectIn(entry, 'response', where);
  const status = ownMember(response, 'status');
  if (typeof status !== 'number') throw notHar(where.file, `${where.at}.response.status`, 'a number');
  // Blocked or without a response.
  if (!Number.isInteger(status) || status < 100 || status > 999) return undefined;
  const headers: PlainObject = Object.create(null);
  for (const [name, value] of readHeaders(response, `${where.at}.response.headers`, where))
    addHeader(headers, name.toLowerCase(), value);
  const content = ownMember(response, 'content');
  return {
    status,
    headers: Object.freeze(headers) as RecordedResponse['headers'],
    body: isPlainObject(content) ? readBytes(content) : new Uint8Array(),
  };
}

/** Joins a repeated header, as apps see it. */
function addHeader(headers: PlainObject, name: string, value: string): void {
  // The body in a HAR is decoded, so its encoding and length differ.
  if (name === 'content-encoding' || name === 'content-length' || name === 'transfer-encoding') return;
  const known = headers[name];
  // Browsers write several cookies to one entry, one per line.
  const values = name === 'set-cookie' ? [known ?? [], value.split('\n')].flat() : undefined;
  setMember(headers, name, values ?? (known === undefined ? value : `${String(known)}, ${value}`));
}

/** HTTP/2 pseudo headers start with a colon. */
function readHeaders(
  message: PlainObject,
  at: string,
  { file }: Where,
): readonly (readonly [string, string])[] {
  const headers = ownMember(message, 'headers') ?? [];
  if (!Array.isArray(headers)) throw notHar(file, at, 'a list');
  if (headers.length > MAX_PAIRS) {
    throw notHar(file, at, `a list of at most ${MAX_PAIRS}`);
  }
  return headers.flatMap((header: unknown) => {
    if (!isPlainObject(header)) return [];
    const [name, value] = [ownMember(header, 'name'), ownMember(header, 'value')];
    const isHeader = typeof name === 'string' && typeof value === 'string' && !name.startsWith(':');
    return isHeader ? [[name, value] as const] : [];
  });
}

function readPostData(request: PlainObject, where: Where): Uint8Array | undefined {
  const data = ownMember(request, 'postData');
  if (data === undefined || data === null) return undefined;
  if (!isPlainObject(data)) throw notHar(where.file, `${where.at}.request.postData`, 'an object');
  const params = ownMember(data, 'params');
  if (typeof ownMember(data, 'text') === 'string' || !Array.isArray(params)) return readBytes(data);
  if (params.length > MAX_PAIRS) {
    throw notHar(where.file, `${where.at}.request.postData.params`, `a list of at most ${MAX_PAIRS}`);
  }
  const pairs = params.filter(isPlainObject).map((param): [string, string] => {
    return [anyText(param, 'name'), anyText(param, 'value')];
  });
  return Buffer.from(new URLSearchParams(pairs).toString(), 'utf8');
}

function readBytes(content: PlainObject): Uint8Array {
  const text = ownMember(content, 'text');
  if (typeof text !== 'string') return new Uint8Array();
  return Buffer.from(text, ownMember(content, 'encoding') === 'base64' ? 'base64' : 'utf8');
}

function objectIn(object: PlainObject, name: string, { file, at }: Where): PlainObject {
  const value = ownMember(object, name);
  if (isPlainObject(value)) return value;
  throw notHar(file, `${at}.${name}`, 'an object');
}

function textIn(object: PlainObject, name: string, { file, at }: Where): string {
  const value = ownMember(object, name);
  if (typeof value === 'string' && value !== '') return value;
  throw notHar(file, `${at}.request.${name}`, 'a text');
}

/** The text of a member; empty for other types. */
function anyText(object: PlainObject, name: string): string {
  const value = ownMember(object, name);
  return typeof value === 'object' || value === undefined ? '' : String(value);
}
