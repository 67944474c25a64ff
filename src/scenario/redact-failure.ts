import { createRedactor, redactAppError } from '../engine/redaction/redact.js';
import { collectNamedSecrets } from '../engine/redaction/secrets.js';
import type { AppError } from '../shared/errors/app-error.js';

/** Redacts the error of a step. `data` is the input of the step, oldest first. */
export type RedactFailure = (error: AppError, data: readonly unknown[]) => AppError;

/**
 * Creates the redactor for errors of one run. Redacts the result of `findSecrets` and values with secret names in the
 * data of a step, as an API may quote its request.
 *
 * @throws errors of `findSecrets`, as the run must not report an error it cannot redact
 */
export async function createFailureRedactor(
  findSecrets: (() => Promise<readonly string[]>) | undefined,
): Promise<RedactFailure> {
  const secrets = (await findSecrets?.()) ?? [];
  // Cached, as failing bundles share the outputs of the first steps, which may be large.
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
