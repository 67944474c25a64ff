/**
 * Runs requests one after another, because an older response must not override a newer one. Callers during a request
 * share the next one.
 *
 * @returns a function that resolves after a request that started later than the call, and rejects if that request
 * fails
 */
export function askInTurn(ask: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        current = ask();
        return current;
      });
    return next;
  };
}
