import type { LiveMessage } from './protocol.js';

/** Publishes events to listeners. */
export interface EventHub {
  readonly publish: (message: LiveMessage) => void;
  /** A stream of server-sent events; undefined if there are too many listeners. */
  readonly listen: () => ReadableStream<Uint8Array> | undefined;
  /** Ends all streams. */
  readonly close: () => void;
}

/** Maximum number of listeners; tabs of a browser share one stream. */
const MAX_LISTENERS = 64;

/** Keep-alive interval for proxies. */
const BEAT_MS = 20_000;

/** Maximum backlog of a listener; it is then disconnected and reconnects. */
const MAX_WAITING = 1000;

type Listener = ReadableStreamDefaultController<Uint8Array>;

/** Creates a hub without listeners. */
export function createEventHub(): EventHub {
  const encoder = new TextEncoder();
  const listeners = new Set<Listener>();
  const send = (text: string): void => {
    const bytes = encoder.encode(text);
    for (const listener of listeners) {
      if ((listener.desiredSize ?? 0) < -MAX_WAITING) {
        listeners.delete(listener);
        listener.close();
      } else listener.enqueue(bytes);
    }
  };
  const beat = setInterval(() => send(': here\n\n'), BEAT_MS);
  beat.unref();
  return {
    publish: (message) => send(`data: ${JSON.stringify(message)}\n\n`),
    listen: () => {
      if (listeners.size >= MAX_LISTENERS) return undefined;
      let own: Listener;
      return new ReadableStream<Uint8Array>({
        start: (listener) => {
          own = listener;
          listeners.add(listener);
          // Confirms the connection to the browser.
          listener.enqueue(encoder.encode(': here\n\n'));
        },
        cancel: () => void listeners.delete(own),
      });
    },
    close: () => {
      clearInterval(beat);
      for (const listener of listeners) listener.close();
      listeners.clear();
    },
  };
}
