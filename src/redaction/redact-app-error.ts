import { AppError } from '../errors/app-error.js';
import { finishAtOnce, type Parts } from '../iml/values/work.js';
import { redactCauses } from './redact-causes.js';

/** An error with what is secret taken out of its texts, and in place out of those of its causes; the same one where its own hold nothing. */
export function redactAppError(error: AppError, redact: (text: string) => string): AppError {
  return finishAtOnce(redactAppErrorInParts(error, redact));
}

/** `redactAppError` a text at a time. */
export function* redactAppErrorInParts(error: AppError, redact: (text: string) => string): Parts<AppError> {
  redactCauses(error.cause, redact);
  const { type, message, suberrors, ...rest } = error;
  const cleaned: string[] = [];
  for (const text of [message, ...(suberrors ?? [])]) {
    yield;
    cleaned.push(redact(text));
  }
  const [clean, ...cleanSuberrors] = cleaned;
  if (clean === message && cleanSuberrors.every((line, index) => line === suberrors?.[index])) return error;
  return new AppError(type, clean ?? '', {
    ...rest,
    cause: error.cause,
    suberrors: suberrors && cleanSuberrors,
  });
}
