import { findHeader, readContentType } from '../../../engine/http/headers.js';
import type { HeaderEntry } from '../../../engine/http/transport.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectNamedSecrets } from '../../../engine/redaction/secrets.js';
import type { EventRow } from '../../../host/store/tables.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';

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
  const { text, ...rest } = request;
  const headers = (Array.isArray(request['headers']) ? request['headers'] : []).filter(isHeader);
  if (typeof text === 'string') {
    return { ...rest, body: redactor.request({ method: '', url: '', headers, body: text }).body };
  }
  return text === null ? { ...rest, body: describeBytes(request, headers) } : rest;
}

function describeBytes({ size }: PlainObject, headers: readonly HeaderEntry[]): string {
  const { mediaType } = readContentType(findHeader(headers, 'content-type'));
  return `[${String(size)} bytes of binary data, ${mediaType === '' ? 'unknown type' : mediaType}]`;
}

function isHeader(entry: unknown): entry is HeaderEntry {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string';
}

/** Milliseconds since the epoch as ISO text; null stays null. */
export function formatInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * The message of a stored error for a list; empty without one. `secrets` are redacted; undefined if they are
 * unknown.
 */
export type ReadMessage = (error: unknown, secrets: readonly string[] | undefined) => string;

/** Caches redactors, because many rows share secrets. */
export function createMessageReader(): ReadMessage {
  const redactors = new Map<readonly string[], Redactor>();
  return (error, secrets) => {
    const message = isPlainObject(error) ? (ownMember(error, 'message') ?? '') : '';
    if (message === '') return '';
    if (secrets === undefined) return NOT_SHOWN;
    const redactor = redactors.get(secrets) ?? createRedactor({ secrets });
    redactors.set(secrets, redactor);
    return redactor.text(String(message));
  };
}

/** Replaces content whose secrets are unknown or too many. */
export const NOT_SHOWN = '[not shown: it may contain secrets of a deleted hook, or too many secrets]';

/** Members of an error that contain no input data. */
const OPEN_MEMBERS: readonly string[] = ['name', 'type', 'code', 'statusCode', 'phase', 'place'];

/** A stored error without its messages. */
export function withoutTexts(error: unknown): unknown {
  if (!isPlainObject(error)) return error === null ? null : NOT_SHOWN;
  const open = OPEN_MEMBERS.filter((name) => Object.hasOwn(error, name));
  const shown: PlainObject = Object.fromEntries(open.map((name) => [name, ownMember(error, name)]));
  return { ...shown, message: NOT_SHOWN };
}
