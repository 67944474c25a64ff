import { parseJsonInTurns } from '../../http/body/json-in-turns.js';
import { JsonText } from '../../store/json-text.js';
import { readPortable } from '../../store/read-portable.js';
import { writePortable } from '../../store/write-portable.js';
import { isTurnOver, Turns } from '../../util/turns.js';

/** A large value as it is stored, written in turns. */
export async function writeLarge(value: unknown): Promise<JsonText> {
  const { text, bytes } = await writePortable(value, new Turns());
  return new JsonText(text, bytes);
}

/** The plain data of a text, read in turns. */
export async function parseLarge(kept: JsonText): Promise<unknown> {
  const bytes = await kept.readBytes();
  const turns = new Turns();
  // Up to a length it is read at once, and many may be read in one turn.
  if (isTurnOver()) await turns.next();
  const result = await parseJsonInTurns(bytes, turns);
  // What an app has made of a call may be more than one call may bring.
  return result.ok ? result.value : JSON.parse(kept.text);
}

/** The value that plain data stands for, which are changed: nobody else's. */
export function readLarge(portable: unknown): Promise<unknown> {
  return readPortable(portable, new Turns());
}
