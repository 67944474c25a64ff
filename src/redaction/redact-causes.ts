/** Errors behind the first one that are kept; more of them are none of ours. */
const MAX_CAUSES = 100;

/** Members of an error that are looked at; none of the host's or ours has more. */
const MAX_MEMBERS = 100;

/**
 * Whoever logs an error logs what caused it, so no text of that may quote a secret: message and stacks, and what the host adds (`input`
 * and `base` of an address that is none). The causes are changed in place, those of several errors in one as well; those that
 * are too many to be looked at are taken out.
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
    cutCauses(error, keeps);
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
  try {
    // A stack may be no member of its own.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)]))
      redactMember(error, name, redact);
  } catch {
    // It cannot be shown either; the others can.
  }
}

function redactMember(error: Error, name: string, redact: (text: string) => string): void {
  try {
    const text: unknown = Reflect.get(error, name);
    const clean = typeof text === 'string' ? redact(text) : text;
    if (clean !== text) Reflect.set(error, name, clean);
  } catch {
    // As above.
  }
}

/** Leaves an error the causes that are kept. */
function cutCauses(error: Error, keeps: (cause: unknown) => boolean): void {
  try {
    if (!keeps(error.cause)) error.cause = undefined;
    if (!(error instanceof AggregateError)) return;
    const kept = error.errors.slice(0, MAX_CAUSES).filter(keeps);
    if (kept.length < error.errors.length) error.errors = kept;
  } catch {
    // As above.
  }
}
