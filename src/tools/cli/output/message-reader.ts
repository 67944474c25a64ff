import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';

/**
 * The message of a stored error for a list; empty without one. `secrets` are redacted; undefined if they are
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

/** Replaces content whose secrets are unknown or too many. */
export const NOT_SHOWN = '[not shown: it may hold secrets of a hook that is gone, or too many]';

/** Members of an error that contain no input data. */
const OPEN_MEMBERS: readonly string[] = ['name', 'type', 'code', 'statusCode', 'phase', 'place'];

/** A stored error without its messages. */
export function withoutTexts(error: unknown): unknown {
  if (!isPlainObject(error)) return error === null ? null : NOT_SHOWN;
  const open = OPEN_MEMBERS.filter((name) => Object.hasOwn(error, name));
  const shown: PlainObject = Object.fromEntries(open.map((name) => [name, ownMember(error, name)]));
  return { ...shown, message: NOT_SHOWN };
}
