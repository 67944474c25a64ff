import { openSeal, startSeal } from './seal.js';
import { Turns } from './turns.js';

/** Characters, or bytes, that are sealed or opened at once: a millisecond or less. */
const PIECE = 128 * 1024;

/** `seal` of a large text, which is used in a turn of its own: the statement that stores it holds others up as well. */
export async function sealInTurns(
  text: string,
  key: Uint8Array,
  purpose: string,
  turns: Turns = new Turns(),
): Promise<string> {
  const sealing = startSeal(key, purpose);
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from + PIECE);
    sealing.add(text.slice(from, to));
    from = to;
    if (turns.isOver) await turns.next();
  }
  const sealed = sealing.finish();
  await turns.next();
  return sealed;
}

/** The bytes of what `unseal` gives as a text: UTF-8. */
export async function unsealInTurns(
  sealed: string,
  key: Uint8Array,
  purpose: string,
  turns: Turns = new Turns(),
): Promise<Buffer | undefined> {
  const opening = openSeal(sealed, key, purpose);
  if (opening === undefined) return undefined;
  const { data } = opening;
  for (let from = 0; from < data.byteLength; from += PIECE) {
    opening.add(data.subarray(from, from + PIECE));
    if (turns.isOver) await turns.next();
  }
  return opening.finish();
}

/** Not between the halves of a character. */
function endOfPiece(text: string, end: number): number {
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}
