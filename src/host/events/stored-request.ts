import type { Redactor } from '../../engine/redaction/redact.js';
import { redactPatterns, SANITIZED } from '../../engine/redaction/redact-text.js';
import { isSecretName } from '../../engine/redaction/secret-names.js';
import { type IncomingCall, readCallQuery } from '../../engine/webhook/incoming-call.js';
import type { PlainObject } from '../../shared/plain-object.js';
import type { HookKnowledge } from '../hooks/hook-secrets.js';

/** A call with its id for logs and events, and its span. */
export type NamedCall = IncomingCall & { readonly callId: string; readonly traceparent: string | undefined };

/** Query and headers of a call. */
type Head = Pick<IncomingCall, 'headers'> & { readonly query: string };

/**
 * The redacted part of a call that is stored beside its bundles for display.
 *
 * @param known the knowledge of the hook; collects no secrets of the call
 */
export function storeAcceptedCall(call: NamedCall, known: HookKnowledge): PlainObject {
  const head = readHead(call);
  return writeRequest(call, holdsSecret(head, known) ? cleanHead(head, known.redactor.fork()) : head);
}

/** Without the path, which contains the secret of the hook. */
export function readHead({ url, headers }: IncomingCall): Head {
  return { query: readCallQuery(url), headers };
}

/**
 * Most calls contain no secret, so one search covers all values. They are concatenated because a secret may be split
 * across them.
 */
function holdsSecret({ query, headers }: Head, { isIn }: HookKnowledge): boolean {
  // Separate from headers, which are rarely escaped: each layer of escaping repeats the search.
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
  const shown = headers.map(([name, value]) => [
    name,
    redactHeaderValue(value, isSecretName(name, 'header')),
  ]);
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => [
    name,
    redactHeaderValue(value, isSecretName(name, 'query')),
  ]);
  const trace = traceparent === undefined ? {} : { traceparent };
  return { callId, ...trace, method, query: pairs, headers: shown, size: body.byteLength };
}

/** A URL in a value, such as `referer`, can contain a secret. */
function redactHeaderValue(value: string, isSecret: boolean): string {
  return isSecret ? SANITIZED : redactPatterns(value);
}
