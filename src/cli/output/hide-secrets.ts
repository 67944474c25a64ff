import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';

/** What a host keeps, as people may see it: without what names say is secret, wherever that stands again. */
export function hideSecrets(value: unknown): unknown {
  return createRedactor({ secrets: collectNamedSecrets(value) }).value(value);
}
