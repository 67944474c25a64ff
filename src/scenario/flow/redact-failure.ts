import type { AppError } from '../../errors/app-error.js';
import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';
import { redactAppError } from '../../redaction/redact-app-error.js';

/**
 * The failure of a module without what stands in the outputs of earlier ones under a name that says secret. A service may quote what
 * it was sent, and to the module a mapped password was a text like others.
 */
export function redactFailure(error: AppError, outputs: unknown): AppError {
  const { text } = createRedactor({ secrets: collectNamedSecrets(outputs) });
  return redactAppError(error, text);
}
