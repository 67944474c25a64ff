/**
 * The next turn of the event loop: what other callers have to say by then goes into the same transaction, and requests
 * are read in between. A store whose driver answers at once would have it otherwise that each gets one of its own.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
