/** Causes end somewhere; a chain longer than this is none of ours. */
const MAX_CAUSES = 20;

/** What a printed error shows of its own: message, stack, and the stack within the sandbox. */
const TEXTS = ['message', 'stack', 'guestStack'] as const;

/** Whoever logs an error logs what caused it, so those messages must not quote secrets either. The causes are changed in place. */
export function redactCauses(cause: unknown, redact: (text: string) => string): void {
  let error = cause;
  for (let count = 0; error !== undefined && count < MAX_CAUSES; count++) error = redactCause(error, redact);
}

/** @returns what caused it; undefined for what is no error, or cannot be read: an embedder's value may throw a proxy */
function redactCause(error: unknown, redact: (text: string) => string): unknown {
  try {
    if (!(error instanceof Error)) return undefined;
    for (const name of TEXTS) {
      const text: unknown = Reflect.get(error, name);
      const clean = typeof text === 'string' ? redact(text) : text;
      if (clean !== text) Reflect.set(error, name, clean);
    }
    return error.cause;
  } catch {
    return undefined;
  }
}
