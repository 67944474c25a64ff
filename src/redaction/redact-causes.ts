/** Causes end somewhere; a chain longer than this is none of ours. */
const MAX_CAUSES = 20;

/** Members of an error that are looked at; none of the host's or ours has more. */
const MAX_MEMBERS = 100;

/**
 * Whoever logs an error logs what caused it, so no text of that may quote a secret: message and stacks, and what the host adds (`input`
 * and `base` of an address that is none). The causes are changed in place.
 */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  let error = cause;
  for (let count = 0; error !== undefined && count < MAX_CAUSES; count++) error = redactCause(error, redact);
}

/** @returns what caused it; undefined for what is no error, or cannot be read: an embedder's value may throw a proxy */
function redactCause(error: unknown, redact: (text: string) => string): unknown {
  try {
    if (!(error instanceof Error)) return undefined;
    // A stack may be no member of its own.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)])) {
      const text: unknown = Reflect.get(error, name);
      const clean = typeof text === 'string' ? redact(text) : text;
      if (clean !== text) Reflect.set(error, name, clean);
    }
    if (error instanceof AggregateError)
      for (const each of error.errors.slice(0, MAX_MEMBERS)) redactCause(each, redact);
    return error.cause;
  } catch {
    return undefined;
  }
}
