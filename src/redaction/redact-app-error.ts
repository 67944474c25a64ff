import { AppError } from '../errors/app-error.js';

/** An error with what is secret taken out of its texts; the same one where nothing is. */
export function redactAppError(error: AppError, redact: (text: string) => string): AppError {
  const { type, message, suberrors, ...rest } = error;
  const [clean, ...cleanSuberrors] = [message, ...(suberrors ?? [])].map(redact);
  if (clean === message && cleanSuberrors.every((line, index) => line === suberrors?.[index])) return error;
  return new AppError(type, clean ?? '', {
    ...rest,
    cause: error.cause,
    suberrors: suberrors && cleanSuberrors,
  });
}
