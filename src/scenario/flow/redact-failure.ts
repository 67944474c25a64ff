import type { AppError } from '../../errors/app-error.js';
import { collectNamedSecrets } from '../../redaction/collect-secrets.js';
import { createRedactor } from '../../redaction/redact.js';
import { redactAppError } from '../../redaction/redact-app-error.js';
import { Turns } from '../../util/turns.js';

/** Takes out of a failure what must not be shown; `data` is what its step was given. */
export type RedactFailure = (error: AppError, data: unknown) => AppError;

/**
 * Makes ready what takes out of the failures of a run what stands in the data of their steps under a name that says secret, and
 * what `findSecrets` tells. A service may quote what it was sent, and to the module a mapped password was a text like others.
 *
 * @throws what `findSecrets` rejects with: a failure that cannot be cleaned is not told
 */
export async function createFailureRedactor(
  findSecrets: (() => Promise<readonly string[]>) | undefined,
): Promise<RedactFailure> {
  const known = createRedactor({ secrets: [] });
  if (findSecrets !== undefined) await known.learnInTurns(await findSecrets(), new Turns());
  return (error, data) => {
    const { learn, text } = known.apart();
    learn(collectNamedSecrets(data));
    return redactAppError(error, text);
  };
}
