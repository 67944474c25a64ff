import type { EventRow } from '../../../host/store/tables.js';
import type { HeaderEntry } from '../../../http/message/transport.js';
import { createRedactor } from '../../../redaction/redact.js';
import { isPlainObject, type PlainObject } from '../../../util/plain-object.js';
import { formatInstant } from '../format-instant.js';
import { hideSecrets } from '../hide-secrets.js';

/** What the hook and the scenario of an event are called. */
export interface EventNames {
  readonly hook: string;
  readonly scenario: string;
}

/**
 * An event as a person may see it: instants as texts, the body of a call that could not be read as text where it is one,
 * without what names say is secret.
 */
export function shownEvent(event: EventRow, names: EventNames): unknown {
  const { receivedAtMs, finishedAtMs, notBeforeMs, request, ...rest } = event;
  const times = {
    received: formatInstant(receivedAtMs),
    finished: formatInstant(finishedAtMs),
    notBefore: formatInstant(notBeforeMs),
  };
  return hideSecrets({ ...rest, ...names, ...times, request: shownRequest(request) });
}

/** Bytes that are no text stay base64, and say so. */
function shownRequest(request: unknown): unknown {
  if (!isPlainObject(request) || typeof request['body'] !== 'string') return request;
  const bytes = Buffer.from(request['body'], 'base64');
  // What is kept of a body may end inside of a character.
  const text = new TextDecoder().decode(bytes);
  if (text.replace(/\uFFFD{1,3}$/, '').includes('\uFFFD')) return { ...request, encoding: 'base64' };
  return { ...request, body: shownBody(text, request) };
}

function shownBody(text: string, { headers }: PlainObject): unknown {
  const entries = (Array.isArray(headers) ? headers : []).filter(isHeader);
  return createRedactor({ secrets: [] }).request({ method: 'POST', url: '/', headers: entries, body: text })
    .body;
}

function isHeader(entry: unknown): entry is HeaderEntry {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string';
}
