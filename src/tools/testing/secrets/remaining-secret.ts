import { RecordingError } from '../../../shared/errors/engine-error.js';
import { secretPlaceholder } from '../cases/placeholders.js';
import type { SecretBook } from './secret-book.js';

/**
 * The error for texts that still contain a secret after it was replaced.
 *
 * @param where where the secret would remain: `the case`
 */
export function remainingSecret(where: string, texts: readonly string[], book: SecretBook): RecordingError {
  const secrets = book.secrets().filter(({ isDerived }) => !isDerived);
  const named = secrets.find(({ value }) => texts.some((text) => text.includes(value)));
  const which = named === undefined ? 'a secret' : `the secret "${named.name}"`;
  const isInPlaceholder =
    named !== undefined && secrets.some(({ name }) => secretPlaceholder(name).includes(named.value));
  const why = isInPlaceholder
    ? 'its value is part of a placeholder such as {{secret:apiKey}}. Use another value, such as a long random key.'
    : 'in a form that cannot be replaced.';
  return new RecordingError(
    `Nothing was written: ${which} would appear in ${where}${isInPlaceholder ? ':' : ','} ${why}`,
  );
}
