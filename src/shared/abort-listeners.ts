/** Called once when the signal aborts. */
export interface AbortListener {
  onAbort(): void;
}

const LISTENERS = new WeakMap<AbortSignal, Set<AbortListener>>();

/**
 * Adds an abort listener. All listeners of a signal share one DOM listener and are objects instead of closures: a
 * closure per request would keep response data alive and promote it to the old generation of the garbage collector.
 */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const known = LISTENERS.get(signal);
  if (known !== undefined) {
    known.add(listener);
    return;
  }
  const listeners = new Set([listener]);
  LISTENERS.set(signal, listeners);
  signal.addEventListener('abort', () => notifyAll(listeners), { once: true });
}

export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  LISTENERS.get(signal)?.delete(listener);
}

function notifyAll(listeners: ReadonlySet<AbortListener>): void {
  for (const listener of listeners) listener.onAbort();
}
