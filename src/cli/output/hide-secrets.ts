import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';

/** Stored host data, safe to print: redacts known secrets and values under secret names wherever they occur. */
export function hideSecrets(value: unknown, secrets: readonly string[]): unknown {
  return createRedactor({ secrets: [...secrets, ...collectNamedSecrets(value)] }).value(value);
}
