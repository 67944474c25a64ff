import { readContentType } from '../../http/message/content-type.js';
import { findHeader } from '../../http/message/headers.js';
import { readShownText } from '../../redaction/read-shown-text.js';
import type { Redactor } from '../../redaction/redact.js';
import { redactPatterns } from '../../redaction/redact-text.js';
import { SANITIZED } from '../../redaction/redact-value.js';
import { isSecretName } from '../../redaction/secret-names.js';
import type { PlainObject } from '../../util/plain-object.js';
import { type IncomingCall, readQuery } from '../../webhook/incoming-call.js';
import type { HookKnowledge } from '../hooks/hook-secrets.js';

/** A call with the id that names it in logs and events, and its span. */
export type NamedCall = IncomingCall & { readonly callId: string; readonly traceparent: string | undefined };

/** What of a call stands in front of its body. */
type Head = Pick<IncomingCall, 'headers'> & { readonly query: string };

/**
 * What is kept of a call beside its bundles, to be shown to people: nothing of it lets somebody in.
 *
 * @param known of the hook: learns nothing of the call
 */
export function keepAccepted(call: NamedCall, known: HookKnowledge): PlainObject {
  const head = readHead(call);
  return describe(call, holdsSecret(head, known) ? cleanHead(head, known.redactor.apart()) : head);
}

/** The same for a call that was refused, with its body: as `text`, which is null where that is none. */
export function keepRejected(call: NamedCall, known: HookKnowledge, maxBytes: number): PlainObject {
  // What the headers hide is hidden in the body as well.
  const own = known.redactor.apart();
  const kept = describe(call, cleanHead(readHead(call), own));
  const isKept = maxBytes > 0 && call.body.byteLength > 0;
  return isKept ? { ...kept, text: keepText(call, own, maxBytes) } : kept;
}

/** The path is the secret of the hook. */
function readHead({ url, headers }: IncomingCall): Head {
  return { query: readQuery(url), headers };
}

/**
 * Nearly all calls hold none, so all of it is looked through at once. Values stand one behind the other, as a secret may be cut into
 * several of them.
 */
function holdsSecret({ query, headers }: Head, { isIn }: HookKnowledge): boolean {
  // Apart from the headers, which are rarely escaped: what is takes as long again for each layer.
  if (query !== '') {
    const values = [...new URLSearchParams(query).values()].join('');
    if (isIn(`${query}\n${values}`)) return true;
  }
  let names = '';
  let values = '';
  for (const [name, value] of headers) {
    names += `${name}\n`;
    values += value;
  }
  return isIn(names + values);
}

function cleanHead({ query, headers }: Head, redactor: Redactor): Head {
  const shown = redactor.request({ method: '', url: `?${query}`, headers, body: undefined });
  return {
    query: shown.url.slice(1),
    headers: shown.headers.map(([name, value]) => [redactor.text(name), value]),
  };
}

function describe({ callId, traceparent, method, body }: NamedCall, { query, headers }: Head): PlainObject {
  const shown = headers.map(([name, value]) => [name, keptValue(value, isSecretName(name, 'header'))]);
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => [
    name,
    keptValue(value, isSecretName(name, 'query')),
  ]);
  const trace = traceparent === undefined ? {} : { traceparent };
  return { callId, ...trace, method, query: pairs, headers: shown, size: body.byteLength };
}

/** An address in a value, as in `referer`, may bring a secret of its own. */
function keptValue(value: string, isSecret: boolean): string {
  return isSecret ? SANITIZED : redactPatterns(value);
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
    .request({ method, url: '', headers: [], body: text }).body;
  return String(shown).slice(0, most);
}
