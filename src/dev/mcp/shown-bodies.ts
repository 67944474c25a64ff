import type { History } from '../history/history.js';
import { MAX_BODY_SHOWN } from '../history/pack-events.js';
import type { BodyRef } from '../protocol.js';

/** Maximum length of all values in one response. */
const MAX_ANSWER = 256 * 1024;

/** Reads long values for one response: each up to 64 kB, all together bounded. */
export interface BodyReader {
  readonly read: (body: BodyRef | undefined) => Promise<unknown>;
}

/** Creates a reader. */
export function createBodyReader(history: Pick<History, 'body'>): BodyReader {
  let left = MAX_ANSWER;
  return {
    read: async (body) => {
      if (body === undefined) return undefined;
      const room = Math.min(left, MAX_BODY_SHOWN);
      const kept = await history.body(body.ref);
      if (kept === undefined) return { isMissing: true, size: body.size };
      const { kind, text } = kept;
      left -= Math.min(room, text.length);
      if (text.length > room) return { isCut: true, size: text.length, text: text.slice(0, room) };
      return kind === 'json' ? JSON.parse(text) : parse(text);
    },
  };
}

/** Parsed JSON is easier to read than escaped text. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
