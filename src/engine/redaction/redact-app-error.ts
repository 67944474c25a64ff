import { AppError } from '../../shared/errors/app-error.js';

/** A redacted error, and in place its causes; the same error if its own texts hold no secret. */
export function redactAppError(error: AppError, redact: (text: string) => string): AppError {
  redactCauses(error.cause, redact);
  const { type, message, suberrors, request, ...rest } = error;
  const shown = redact(message);
  const shownSuberrors = suberrors?.map(redact);
  const shownRequest = request && {
    ...request,
    url: redact(request.url),
    body: request.body === undefined ? undefined : redact(request.body),
  };
  const isSame =
    shown === message &&
    shownSuberrors?.every((line, index) => line === suberrors?.[index]) !== false &&
    shownRequest?.url === request?.url &&
    shownRequest?.body === request?.body;
  if (isSame) return error;
  const options = { ...rest, cause: error.cause, suberrors: shownSuberrors, request: shownRequest };
  return new AppError(type, shown, options);
}

/** Causes that are kept: longer chains are none of ours. */
const MAX_CAUSES = 100;

/** Members of an error that are redacted: no error of the host or of ours has more. */
const MAX_MEMBERS = 100;

/**
 * Redacts the causes of an error in place: message, stack, and the members that the host adds (`input` and `base` of an
 * invalid URL). The errors of an AggregateError are redacted, too. Causes beyond the first 100 are removed.
 */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  const found = new Set([cause]);
  const keeps = (error: unknown): boolean => {
    if (!isError(error) || found.has(error)) return true;
    if (found.size > MAX_CAUSES) return false;
    found.add(error);
    return true;
  };
  // The loop visits errors that are added meanwhile.
  for (const error of found) {
    if (!isError(error)) continue;
    redactMembers(error, redact);
    redactInner(error, keeps, (inner) => (typeof inner === 'string' ? redact(inner) : inner));
  }
}

/** A value of the embedder may be a proxy that throws. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function redactMembers(error: Error, redact: (text: string) => string): void {
  attempt(() => {
    // `stack` may be inherited.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)])) {
      attempt(() => {
        const text: unknown = Reflect.get(error, name);
        const shown = typeof text === 'string' ? redact(text) : text;
        if (shown !== text) Reflect.set(error, name, shown);
      });
    }
  });
}

function redactInner(
  error: Error,
  keeps: (cause: unknown) => boolean,
  redact: (cause: unknown) => unknown,
): void {
  attempt(() => {
    const kept = keeps(error.cause) ? redact(error.cause) : undefined;
    if (kept !== error.cause) error.cause = kept;
  });
  attempt(() => {
    if (!(error instanceof AggregateError)) return;
    const { errors } = error;
    const kept = errors.slice(0, MAX_CAUSES).filter(keeps).map(redact);
    if (kept.length < errors.length || kept.some((each, at) => each !== errors[at])) error.errors = kept;
  });
}

/** What cannot be read cannot be shown either. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}
