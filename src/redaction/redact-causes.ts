/** Causes end somewhere; more of them are none of ours. */
const MAX_CAUSES = 100;

/** Members of an error that are looked at; none of the host's or ours has more. */
const MAX_MEMBERS = 100;

/**
 * Whoever logs an error logs what caused it, so no text of that may quote a secret: message and stacks, and what the host adds (`input`
 * and `base` of an address that is none). The causes are changed in place, those of several errors in one as well.
 */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  const found: unknown[] = [cause];
  // More are added while they are walked through.
  for (const [index, error] of found.entries()) {
    if (index >= MAX_CAUSES) return;
    found.push(...redactCause(error, redact));
  }
}

/** @returns what caused it; nothing for what is no error, or cannot be read: an embedder's value may throw a proxy */
function redactCause(error: unknown, redact: (text: string) => string): readonly unknown[] {
  try {
    if (!(error instanceof Error)) return [];
    // A stack may be no member of its own.
    for (const name of new Set(['stack', ...Object.getOwnPropertyNames(error).slice(0, MAX_MEMBERS)]))
      redactMember(error, name, redact);
    const further: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
    return [error.cause, ...further.slice(0, MAX_CAUSES)];
  } catch {
    return [];
  }
}

function redactMember(error: Error, name: string, redact: (text: string) => string): void {
  try {
    const text: unknown = Reflect.get(error, name);
    const clean = typeof text === 'string' ? redact(text) : text;
    if (clean !== text) Reflect.set(error, name, clean);
  } catch {
    // It cannot be shown either; the others can.
  }
}
