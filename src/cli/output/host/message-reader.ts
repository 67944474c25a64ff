import { createRedactor, type Redactor } from '../../../redaction/redact.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import { NOT_SHOWN } from './not-shown.js';

/**
 * The message of a stored error for a list; empty if there is none. `secrets` are redacted; undefined if they are
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
