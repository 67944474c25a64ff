import type { AppError } from '../../errors/app-error.js';
import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';
import { redactAppError } from '../../redaction/redact-app-error.js';

/** Redacts an error of a step; `data` is the input of the step, the oldest first. */
export type RedactFailure = (error: AppError, data: readonly unknown[]) => AppError;

/**
 * Creates the redactor for the errors of one run. It redacts what `findSecrets` returns, and the values in the data of
 * a step whose names say secret: a remote API may quote what it was sent.
 *
 * @throws what `findSecrets` rejects with: the run must not report an error it cannot redact
 */
export async function createFailureRedactor(
  findSecrets: (() => Promise<readonly string[]>) | undefined,
): Promise<RedactFailure> {
  const secrets = (await findSecrets?.()) ?? [];
  // Bundles that fail one after the other share the outputs of the first steps, which may be large.
  const found = new WeakMap<object, readonly string[]>();
  const findNamed = (value: unknown): readonly string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const named = found.get(value) ?? collectNamedSecrets(value);
    found.set(value, named);
    return named;
  };
  return (error, data) => {
    const redactor = createRedactor({ secrets: [...secrets, ...data.flatMap(findNamed)] });
    return redactAppError(error, redactor.text);
  };
}
