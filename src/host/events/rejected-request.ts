import { readShownText } from '../../engine/http/body/decode-body.js';
import { findHeader, readContentType } from '../../engine/http/headers.js';
import type { Redactor } from '../../engine/redaction/redact.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { HookKnowledge } from '../hooks/hook-secrets.js';
import { cleanHead, type NamedCall, readHead, writeRequest } from './stored-request.js';

/** The stored form of a rejected call. Its body is stored as `text`; null for binary data. */
export function storeRejectedCall(call: NamedCall, known: HookKnowledge, maxBytes: number): PlainObject {
  // Secrets of the headers are redacted in the body as well.
  const own = known.redactor.fork(maxBytes);
  const request = writeRequest(call, cleanHead(readHead(call), own));
  const isKept = maxBytes > 0 && call.body.byteLength > 0;
  return isKept ? { ...request, text: keepText(call, own, maxBytes) } : request;
}

/** Maximum bytes per UTF-8 character. */
const MAX_CHARACTER_BYTES = 4;

/** Extra characters to scan for secrets that start within the stored part. */
const OVERLAP = 64 * 1024;

function keepText(
  { method, headers, body }: NamedCall,
  redactor: Redactor,
  maxLength: number,
): string | null {
  const { charset } = readContentType(findHeader(headers, 'content-type'));
  const text = readShownText(body.subarray(0, MAX_CHARACTER_BYTES * (maxLength + OVERLAP)), charset);
  if (text === undefined) return null;
  const shown = redactor.request({ method, url: '', headers: [], body: text });
  return String(shown.body).slice(0, maxLength);
}
