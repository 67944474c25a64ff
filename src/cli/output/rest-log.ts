import { EngineError } from '../../errors/engine-error.js';
import type { AnsweredCall, FailedCall } from '../../rest/call/router.js';
import type { RestNotification } from '../../rest/services/ports.js';
import { printJson } from './json-output.js';
import { printableLine } from './terminal-text.js';

/** Log format of `iml rest`. */
export type RestLogFormat = 'text' | 'json';

/** Maximum number of causes in a log line. */
const MAX_CAUSES = 5;

/** One line per request. */
export function describeAnswer(call: AnsweredCall, format: RestLogFormat): string {
  const { requestId, operation, method, path, status, durationMs } = call;
  const ms = Math.round(durationMs * 10) / 10;
  if (format === 'json') {
    const at = new Date().toISOString();
    return printJson({ at, kind: 'answer', requestId, operation, method, path, status, durationMs: ms });
  }
  return printableLine(`${status} ${method} ${path} ${operation ?? '-'} ${ms} ms ${requestId}`);
}

/** One line per failed request, with the error and its causes. */
export function describeFailure(error: unknown, call: FailedCall, format: RestLogFormat): string {
  const { requestId, operation, method, path } = call;
  const causes = describeCauses(error);
  if (format === 'json') {
    const at = new Date().toISOString();
    return printJson({ at, kind: 'failure', requestId, operation, method, path, causes });
  }
  return printableLine(`failed ${method} ${path} ${operation ?? '-'} ${requestId}: ${causes.join(' < ')}`);
}

function describeCauses(error: unknown): readonly string[] {
  const causes: string[] = [];
  for (let cause = error; cause !== undefined && causes.length < MAX_CAUSES; ) {
    const code = cause instanceof EngineError ? ` ${cause.code}` : '';
    causes.push(cause instanceof Error ? `${cause.name}${code}: ${cause.message}` : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return causes;
}

/** One line per invitation, with the hash that accepts it. */
export function describeInvitation(
  { organizationId, userId, hash, atMs }: RestNotification,
  format: RestLogFormat,
): string {
  if (format === 'json') {
    const at = new Date(atMs).toISOString();
    return printJson({ at, kind: 'invitation', organizationId, userId, hash });
  }
  return printableLine(`invitation ${hash ?? ''} of user ${userId} to organization ${organizationId}`);
}
