import { readContentType } from '../../http/message/content-type.js';
import { findHeader } from '../../http/message/headers.js';
import { readShownText } from '../../redaction/read-shown-text.js';
import type { Redactor } from '../../redaction/redact.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { HookKnowledge } from '../hooks/hook-secrets.js';
import { cleanHead, type NamedCall, readHead, writeRequest } from './kept-request.js';

/** What is kept of a call that was refused, its body with it: as `text`, which is null where that is none. */
export function keepRejected(call: NamedCall, known: HookKnowledge, maxBytes: number): PlainObject {
  // What the headers hide is hidden in the body as well.
  const own = known.redactor.apart();
  const kept = writeRequest(call, cleanHead(readHead(call), own));
  const isKept = maxBytes > 0 && call.body.byteLength > 0;
  return isKept ? { ...kept, text: keepText(call, own, maxBytes) } : kept;
}

/** Characters that are cleaned within some milliseconds, whatever they are; of more the redactor chooses what there is time for. */
const MAX_SURE = 64 * 1024;

/** A character has four bytes at most, and a secret that begins in what is kept may end behind it. */
const MAX_CHARACTER_BYTES = 4;

function keepText({ method, headers, body }: NamedCall, redactor: Redactor, most: number): string | null {
  const { charset } = readContentType(findHeader(headers, 'content-type'));
  const text = readShownText(body.subarray(0, MAX_CHARACTER_BYTES * 2 * Math.max(most, MAX_SURE)), charset);
  if (text === undefined) return null;
  const shown = redactor
    .apart(most > MAX_SURE ? undefined : most)
    .request({ method, url: '', headers: [], body: text });
  return String(shown.body).slice(0, most);
}
