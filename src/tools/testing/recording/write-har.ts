import { findHeader, responseHeader } from '../../../engine/http/headers.js';
import { decodeFormComponent } from '../../../engine/http/http-url.js';
import type { ResponseHeaders } from '../../../engine/http/transport.js';
import { RecordingError } from '../../../shared/errors/engine-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { escapeUnsafe } from '../../../shared/text.js';
import { respond } from '../exchanges/play-exchanges.js';
import { writePlaceholders } from '../secrets/mask-value.js';
import { remainingSecret } from '../secrets/secret-book.js';
import { isText } from './mask-call.js';
import type { RecordedCall } from './record-transport.js';
import { type RehearsedRun, type RunToRecord, rehearseRun } from './rehearse-run.js';

/** The program that wrote a HAR. */
export interface HarCreator {
  readonly name: string;
  readonly version: string;
}

/**
 * Writes calls as HAR 1.2. The caller has redacted them. A call without a response has status 0 and the reason in
 * `_error`.
 *
 * @see http://www.softwareishard.com/blog/har-12-spec/
 */
export function writeHar(calls: readonly RecordedCall[], creator: HarCreator): string {
  const log = { version: '1.2', creator, entries: calls.map(writeEntry) };
  return `${JSON.stringify({ log }, undefined, 2)}\n`;
}

function writeEntry(call: RecordedCall): unknown {
  const { startedAtMs, durationMs } = call;
  return {
    startedDateTime: new Date(startedAtMs).toISOString(),
    time: durationMs,
    request: writeRequest(call),
    response: writeResponse(call),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...(call.response === undefined && { _error: call.error?.errno ?? call.error?.code ?? 'ABORTED' }),
  };
}

function writeRequest({ request: { method, url, headers, body } }: RecordedCall): unknown {
  const mimeType = findHeader(headers, 'content-type') ?? '';
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: listCookies(findHeader(headers, 'cookie') ?? ''),
    headers: headers.map(([name, value]) => ({ name, value })),
    queryString: listQuery(url),
    ...(body !== undefined && body.byteLength > 0 && { postData: { mimeType, ...writeText(body) } }),
    headersSize: -1,
    bodySize: body?.byteLength ?? 0,
  };
}

function writeResponse({ response }: RecordedCall): unknown {
  if (response === undefined) {
    const none = { headers: [], cookies: [], content: { size: 0, mimeType: '' }, redirectURL: '' };
    return { status: 0, statusText: '', httpVersion: '', ...none, headersSize: -1, bodySize: -1 };
  }
  const { status, headers, body } = response;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((line) => ({ name, value: line })),
  );
  const mimeType = responseHeader(headers, 'content-type') ?? '';
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: lines.filter(({ name }) => name === 'set-cookie').flatMap(({ value }) => listCookies(value)),
    headers: lines,
    content: { size: body.byteLength, mimeType, ...(body.byteLength > 0 && writeText(body)) },
    redirectURL: responseHeader(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: -1,
  };
}

/** The format defines an encoding for responses only; tools read the same member of requests. */
function writeText(body: Uint8Array): { readonly text: string; readonly encoding?: 'base64' } {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return isText(bytes)
    ? { text: bytes.toString('utf8') }
    : { text: bytes.toString('base64'), encoding: 'base64' };
}

function listQuery(url: string): readonly { readonly name: string; readonly value: string }[] {
  const mark = url.indexOf('?');
  if (mark < 0) return [];
  return url
    .slice(mark + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return { name: decodeFormComponent(name), value: decodeFormComponent(value) };
    });
}

/** Name and value; attributes of `Set-Cookie` are not cookies. */
function listCookies(header: string): readonly { readonly name: string; readonly value: string }[] {
  const attribute = /^(?:path|domain|expires|max-age|samesite|secure|httponly|partitioned)$/i;
  return header.split(';').flatMap((pair) => {
    const [name = '', ...rest] = pair.trim().split('=');
    return name === '' || attribute.test(name) ? [] : [{ name, value: rest.join('=') }];
  });
}

/**
 * Writes the calls of a run as HAR 1.2 with placeholders for secrets and escaped control and invisible characters.
 *
 * @throws RecordingError (RECORDING_REFUSED) if the run differs without its secrets, or a secret would remain in the
 * file
 */
export async function recordHar(run: RunToRecord, creator: HarCreator): Promise<string> {
  const rehearsed = await rehearseRun(run);
  const har = writeHar(maskCalls(run, rehearsed), creator);
  // A secret may contain escaped characters.
  if (!rehearsed.book.isIn(har)) return escapeUnsafe(har);
  throw remainingSecret('the HAR', [har], rehearsed.book);
}

/**
 * The calls of a run without secrets: requests from the rehearsal, redacted responses, with times and durations.
 *
 * @throws RecordingError (RECORDING_REFUSED)
 */
function maskCalls(
  run: RunToRecord,
  { rehearsal, fixture, placeholders, book }: RehearsedRun,
): readonly RecordedCall[] {
  const write = (text: string): string => {
    const written = writePlaceholders(text, placeholders);
    const shown = typeof written === 'string' ? written : text;
    // Secrets in the code of the app itself.
    return book.isIn(shown) ? book.clean(shown) : shown;
  };
  return run.calls.map((call, index): RecordedCall => {
    const request = rehearsal.requests[index];
    const response = fixture.exchanges?.[index]?.response ?? {};
    if (request === undefined)
      throw new RecordingError(`The replay did not make call ${index + 1} of the run.`);
    const { method, url, headers, body } = request;
    const { startedAtMs, durationMs, error } = call;
    const played = call.response === undefined ? undefined : respond(response, request);
    return {
      request: {
        method,
        url: write(url),
        headers: headers.map(([name, value]) => [name, write(value)] as const),
        body: body && writeBytes(body, write),
      },
      response: played && {
        status: played.status,
        headers: writeHeaders(played.headers, write),
        body: writeBytes(played.body, write),
      },
      error,
      startedAtMs,
      durationMs,
    };
  });
}

function writeHeaders(headers: ResponseHeaders, write: (text: string) => string): ResponseHeaders {
  const written = Object.entries(headers).map(([name, value]): [string, string | readonly string[]] => [
    name,
    typeof value === 'string' ? write(value) : value.map(write),
  ]);
  const kept: unknown = Object.fromEntries(written);
  return isPlainObject(kept) ? (kept as Record<string, string | readonly string[]>) : {};
}

function writeBytes(bytes: Uint8Array, write: (text: string) => string): Uint8Array {
  const raw = Buffer.from(bytes).toString('latin1');
  const written = write(raw);
  return written === raw ? bytes : Buffer.from(written, 'latin1');
}
