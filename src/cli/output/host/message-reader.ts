import { createRedactor, type Redactor } from '../../../redaction/redact.js';
import { isPlainObject, ownMember } from '../../../util/plain-object.js';
import { NOT_SHOWN } from './not-shown.js';

/**
 * Gives the message of a stored error as a row of a list has it; empty where there is none. `secrets` are what it must not show,
 * undefined where they cannot be looked for.
 */
export type ReadMessage = (error: unknown, secrets: readonly string[] | undefined) => string;

/** Many rows have the same secrets: what looks for them is made once. */
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
