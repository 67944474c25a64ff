import type { ResponseHeaders } from '../../http/message/transport.js';
import { isCaseless } from '../../util/plain-object.js';
import type { TraceDetail } from '../trace/trace.js';
import type { RunContext } from './run-context.js';
import type { RunLog } from './run-log.js';

type ScopeDetail = Extract<TraceDetail, { readonly kind: 'scope' }>;

/**
 * Tells what expressions see at this point of a run, for a trace that goes that deep. Only what has changed since the
 * event before is told: a body is in the trace once, however many requests read it.
 */
export function traceScope(phase: ScopeDetail['phase'], context: RunContext): void {
  const { log } = context.run;
  const { scope, changed, unset } = log.scopeChanges(context.progress, context.scope);
  context.emitLater(() => {
    const names: Record<string, unknown> = {};
    for (const [name, value] of changed) Object.assign(names, redactName(name, value, log));
    return { kind: 'scope', phase, scope, names, unset };
  });
}

/** One name as the only member of an object, so that a name that says secret hides its value. */
function redactName(name: string, value: unknown, { redactor }: RunLog): unknown {
  // Paths of `log.sanitize` lead into the answer, so it is cleaned as one.
  if (name === 'body') {
    const { body } = redactor.response({ status: 0, headers: {}, body: value });
    return { body };
  }
  if (!isCaseless(value)) return redactor.value({ [name]: value });
  // Only headers are kept so.
  const { headers } = redactor.response({
    status: 0,
    headers: value as ResponseHeaders,
    body: undefined,
  });
  return { [name]: headers };
}
