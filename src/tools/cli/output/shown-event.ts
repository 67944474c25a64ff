import { readShownText } from '../../../engine/http/body/decode-body.js';
import { findHeader, readContentType } from '../../../engine/http/headers.js';
import type { HeaderEntry } from '../../../engine/http/transport.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectNamedSecrets } from '../../../engine/redaction/secrets.js';
import type { EventRow } from '../../../host/store/tables.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { NOT_SHOWN, withoutTexts } from './message-reader.js';

/** Names of the hook and scenario of an event. */
export interface EventNames {
  readonly hook: string;
  readonly scenario: string;
}

/**
 * An event, safe to print: times as text, the body as text if possible, secrets redacted.
 *
 * @param secrets of its hook and connections; undefined if unknown: the content is then hidden
 */
export function shownEvent(
  event: EventRow,
  names: EventNames,
  secrets: readonly string[] | undefined,
): unknown {
  if (secrets === undefined) return shownEvent(withoutData(event), names, []);
  const { receivedAtMs, finishedAtMs, notBeforeMs, request, ...rest } = event;
  const times = {
    received: formatInstant(receivedAtMs),
    finished: formatInstant(finishedAtMs),
    notBefore: formatInstant(notBeforeMs),
  };
  const redactor = createRedactor({ secrets: [...secrets, ...collectNamedSecrets(event)] });
  const shown = { ...rest, ...names, ...times, request: shownRequest(request, redactor) };
  return redactor.value(shown);
}

/** Stored content is redacted by the secrets of its hook, not by those of connections. */
function withoutData(event: EventRow): EventRow {
  const error = withoutTexts(event.error);
  if (!isPlainObject(event.request)) return { ...event, bundles: NOT_SHOWN, request: NOT_SHOWN, error };
  const { callId, method, size } = event.request;
  const request = { callId, method, size, query: NOT_SHOWN, headers: NOT_SHOWN, text: NOT_SHOWN };
  return { ...event, bundles: NOT_SHOWN, request, error };
}

/** A stored request with its body as text, or the size of the body. */
function shownRequest(request: unknown, redactor: Redactor): unknown {
  if (!isPlainObject(request)) return request;
  const { text, body: written, ...rest } = request;
  const headers = (Array.isArray(request['headers']) ? request['headers'] : []).filter(isHeader);
  const body = typeof text === 'string' ? text : readWritten(written, headers);
  if (body !== undefined) {
    return { ...rest, body: redactor.request({ method: '', url: '', headers, body }).body };
  }
  const isNoText = text === null || typeof written === 'string';
  return isNoText ? { ...rest, body: describeBytes(request, headers) } : rest;
}

/** Format of earlier versions: the raw bytes. */
function readWritten(written: unknown, headers: readonly HeaderEntry[]): string | undefined {
  if (typeof written !== 'string') return undefined;
  const { charset } = readContentType(findHeader(headers, 'content-type'));
  return readShownText(Buffer.from(written, 'base64'), charset);
}

function describeBytes({ size }: PlainObject, headers: readonly HeaderEntry[]): string {
  const { mediaType } = readContentType(findHeader(headers, 'content-type'));
  return `[${String(size)} bytes that are no text, ${mediaType === '' ? 'of no type' : mediaType}]`;
}

function isHeader(entry: unknown): entry is HeaderEntry {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string';
}

/** Milliseconds since the epoch as ISO text; null stays null. */
export function formatInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
