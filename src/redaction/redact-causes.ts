/** Errors behind the first one that are kept; more of them are none of ours. */
const MAX_CAUSES = 100;

/** Members of an error that are looked at; none of the host's or ours has more. */
const MAX_MEMBERS = 100;

/**
 * Whoever logs an error logs what caused it, so no text of that may quote a secret: message and stacks, and what the host adds (`input`
 * and `base` of an address that is none). The causes are changed in place, those of several errors in one as well, be they errors or
 * texts; those that are too many to be looked at are taken out.
 */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  const found = new Set([cause]);
  const keeps = (error: unknown): boolean => {
    if (!isError(error) || found.has(error)) return true;
    if (found.size > MAX_CAUSES) return false;
    found.add(error);
    return true;
  };
  // More are added while they are walked through.
  for (const error of found) {
    if (!isError(error)) continue;
    redactMembers(error, redact);
    cutCauses(error, keeps, (cause) => (typeof cause === 'string' ? redact(cause) : cause));
  }
}

/** What is no error, or cannot be looked at, is none: an embedder's value may throw a proxy. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function redactMembers(error: Error, redact: (text: string) => string): void {
  attempt(() => {
    // A stack may be no member of its own.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)]))
      attempt(() => redactMember(error, name, redact));
  });
}

function redactMember(error: Error, name: string, redact: (text: string) => string): void {
  const text: unknown = Reflect.get(error, name);
  const clean = typeof text === 'string' ? redact(text) : text;
  if (clean !== text) Reflect.set(error, name, clean);
}

/** Leaves an error the causes that are kept, texts among them cleaned. */
function cutCauses(
  error: Error,
  keeps: (cause: unknown) => boolean,
  clean: (cause: unknown) => unknown,
): void {
  attempt(() => {
    const kept = keeps(error.cause) ? clean(error.cause) : undefined;
    if (kept !== error.cause) error.cause = kept;
  });
  attempt(() => {
    if (!(error instanceof AggregateError)) return;
    const { errors } = error;
    const kept = errors.slice(0, MAX_CAUSES).filter(keeps).map(clean);
    if (kept.length < errors.length || kept.some((each, at) => each !== errors[at])) error.errors = kept;
  });
}

/** What cannot be read cannot be shown either; the others can. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // As above.
  }
}
