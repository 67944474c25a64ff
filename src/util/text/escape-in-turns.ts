import type { Turns } from '../turns.js';
import { escapeUnsafe } from './escape-unsafe.js';

/** Characters that are looked through at once: ten milliseconds where all of them are escaped. */
const PIECE = 64 * 1024;

/** What joins nothing to the character before it and chooses no picture of it: a text can be cut in front of it. */
const CUT = /[ -~\u3041-\u30ff\u3400-\u9fff]/;

/** `escapeUnsafe` for a text of any length. */
export async function escapeInTurns(text: string, turns: Turns): Promise<string> {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    if (turns.isOver) await turns.next();
    const end = findCut(text, start + PIECE);
    pieces.push(escapeUnsafe(text.slice(start, end)));
    start = end;
  }
  return pieces.join('');
}

/** The first place to cut from `least` on; the end of the text where there is none. */
function findCut(text: string, least: number): number {
  for (let from = least; from < text.length; from += PIECE) {
    const found = text.slice(from, from + PIECE).search(CUT);
    if (found >= 0) return from + found;
  }
  return text.length;
}
