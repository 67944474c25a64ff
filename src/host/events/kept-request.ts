import type { Redactor } from '../../redaction/redact.js';
import { redactPatterns } from '../../redaction/redact-text.js';
import { SANITIZED } from '../../redaction/redact-value.js';
import { isSecretName } from '../../redaction/secret-names.js';
import type { PlainObject } from '../../util/plain-object.js';
import { type IncomingCall, readCallQuery } from '../../webhook/incoming-call.js';
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
  return writeRequest(call, holdsSecret(head, known) ? cleanHead(head, known.redactor.fork()) : head);
}

/** The path is the secret of the hook. */
export function readHead({ url, headers }: IncomingCall): Head {
  return { query: readCallQuery(url), headers };
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

export function cleanHead({ query, headers }: Head, redactor: Redactor): Head {
  const shown = redactor.request({ method: '', url: `?${query}`, headers, body: undefined });
  return {
    query: shown.url.slice(1),
    headers: shown.headers.map(([name, value]) => [redactor.text(name), value]),
  };
}

export function writeRequest(
  { callId, traceparent, method, body }: NamedCall,
  { query, headers }: Head,
): PlainObject {
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
