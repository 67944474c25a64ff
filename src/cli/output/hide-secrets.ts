import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';

/** What a host keeps, as people may see it: without the secrets that are known, and what names say is secret, wherever that stands again. */
export function hideSecrets(value: unknown, secrets: readonly string[]): unknown {
  return createRedactor({ secrets: [...secrets, ...collectNamedSecrets(value)] }).value(value);
}
