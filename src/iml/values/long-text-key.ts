import { spend } from './work.js';

/** The host hashes longer texts by their length alone, so that a set of them would be searched from end to end. */
export const MAX_HASHED_LENGTH = 16_000;

/** To look a longer text up among others of its length, for each of them and each of its characters. */
export const STEPS_OF_ALIKE = 0.01;

/** To hash a character of a name and to add it to the names the host knows. */
const STEPS_OF_NEW = 0.12;

/**
 * Counts what the host does with a name of a new member.
 *
 * @param alike how many others there may be of its length
 */
export function countNewName(name: string, alike: number): void {
  if (name.length > SHORT_TEXT) spend(STEPS_OF_NEW * name.length);
  if (name.length > MAX_HASHED_LENGTH) spend(STEPS_OF_ALIKE * name.length * alike);
}

/** Texts up to this length are hashed in no time. */
const SHORT_TEXT = 256;

/** To hash a character, once a text: by the host, when the text is looked for in a set. */
const STEPS_OF_CHARACTER = 0.06;

/** Gives a text as it is, and instead of a long one a short text: the same for the same. */
export type LongTextKey = (text: string) => string;

/** @param mark what no short text begins with */
export function createLongTextKey(mark: string): LongTextKey {
  const known = new Map<string, string[]>();
  return (text) => {
    if (text.length <= MAX_HASHED_LENGTH) {
      if (text.length > SHORT_TEXT) spend(STEPS_OF_CHARACTER * text.length);
      return text;
    }
    const hash = hashText(text);
    const alike = known.get(hash) ?? [];
    known.set(hash, alike);
    spend(STEPS_OF_ALIKE * text.length * alike.length);
    const at = alike.indexOf(text);
    if (at !== -1) return `${mark}${hash} ${at}`;
    return `${mark}${hash} ${alike.push(text) - 1}`;
  };
}

/** Two hashes of 32 bits each: texts that share both are compared. */
function hashText(text: string): string {
  spend(0.1 * text.length);
  let [first, second] = [0x811c9dc5, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5f356495);
    second ^= second >>> 15;
  }
  return `${text.length} ${first} ${second}`;
}
