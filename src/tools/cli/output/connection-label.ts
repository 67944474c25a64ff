import type { StoredConnection } from '../../../engine/connection/connection-store.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { printableLine } from './terminal-text.js';

/** Names of members that identify a user, for labels. */
const IDENTITY =
  /^(?:e?mail|user|username|login|account|domain|site|company|team|organi[sz]ation|workspace|id)$/i;

/**
 * The label of a connection, safe to print. An app can build it from any value, so credentials are redacted; the user
 * name stays.
 */
export function labelConnection(stored: StoredConnection): string {
  const { metadata, connection, parameters, common } = stored;
  const secrets = collectSecrets(withoutIdentity(connection), withoutIdentity(parameters), common);
  return printableLine(createRedactor({ secrets }).text(metadata?.value ?? ''));
}

function withoutIdentity(data: PlainObject): PlainObject {
  const kept: PlainObject = {};
  for (const [name, value] of Object.entries(data)) {
    if (!IDENTITY.test(name)) setMember(kept, name, isPlainObject(value) ? withoutIdentity(value) : value);
  }
  return kept;
}
