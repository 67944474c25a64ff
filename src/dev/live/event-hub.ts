import type { LiveMessage } from '../protocol.js';

/** Who wants to hear of what happens, and what tells them. */
export interface EventHub {
  readonly publish: (message: LiveMessage) => void;
  /** A stream of server-sent events that ends with the hub; undefined where too many listen already. */
  readonly listen: () => ReadableStream<Uint8Array> | undefined;
  /** Ends all streams. */
  readonly close: () => void;
}

/** Tabs share one stream; this many browsers, or tools, are more than somebody has. */
const MAX_LISTENERS = 64;

/** Comments that keep a stream alive where something in between ends silent ones. */
const BEAT_MS = 20_000;

/** What a listener may lag behind before it is sent away; it then asks anew. */
const MAX_WAITING = 1000;

type Listener = ReadableStreamDefaultController<Uint8Array>;

/** A hub without listeners. */
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
          // The browser knows from it that the stream stands.
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
