/**
 * Asks one after another, as an answer that is overtaken by a newer one would put back what was. Who wants to ask while
 * an answer is under way gets the next one, which all of them share.
 *
 * @returns asks; resolves once an answer that was asked for after the call has come, and rejects where that one fails
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
