import type { History } from '../history/history.js';
import { MAX_BODY_SHOWN } from '../history/pack-events.js';
import type { BodyRef } from '../protocol.js';

/** Characters of all values in one answer: more than an assistant can read in one piece. */
const MAX_ANSWER = 256 * 1024;

/** Reads long values of a run for one answer, each cut at 64 kB, and all of them bounded. */
export interface BodyReader {
  readonly read: (body: BodyRef | undefined) => Promise<unknown>;
}

/** A reader that has read nothing yet. */
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

/** JSON as what it says: quoted once more it is hard to read. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
