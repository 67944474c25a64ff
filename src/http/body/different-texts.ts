import { randomBytes } from 'node:crypto';

/** Texts that are not looked at: so many may differ, and nearly all answers have fewer. */
const FREE = 800_000;

/**
 * Texts behind those that may differ. The engine keeps names, and values of up to ten characters, in one table, which it
 * makes anew as a whole whenever it is full: 25 ms with 0.7 million of them, 50 with 1.4, 340 with 4. [choice]
 */
const MAX_DIFFERENT = 400_000;

/** Bits of a hash that tell texts apart; some of those that differ are taken for one. */
const HASH_BITS = 22;

/** Counts the texts of one document that the engine would keep in its table. */
export class DifferentTexts {
  #seen = 0;
  #different = 0;
  /** A bit for each hash that was met. */
  #met: Uint8Array | undefined;
  /** Unknown to whoever makes the texts, who could make them alike otherwise. */
  readonly #seed: number = randomBytes(4).readUInt32LE();

  /** Takes a text in UTF-8. @returns whether there are too many by now */
  isTooManyWith(bytes: Uint8Array, start: number, end: number): boolean {
    if (++this.#seen <= FREE) return false;
    let hash = this.#seed;
    for (let index = start; index < end; index++) hash = mix(hash, bytes[index] ?? 0);
    return this.#meet(hash);
  }

  /** Takes a text. @returns whether there are too many by now */
  isTooManyWithText(text: string): boolean {
    if (++this.#seen <= FREE) return false;
    let hash = this.#seed;
    for (let index = 0; index < text.length; index++) hash = mix(hash, text.charCodeAt(index));
    return this.#meet(hash);
  }

  #meet(mixed: number): boolean {
    this.#met ??= new Uint8Array(2 ** (HASH_BITS - 3));
    // By the last step every bit counts for the upper ones.
    const hash = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> (32 - HASH_BITS);
    const [at, bit] = [hash >> 3, 1 << (hash & 7)];
    const known = this.#met[at] ?? 0;
    if ((known & bit) === 0) {
      this.#met[at] = known | bit;
      this.#different++;
    }
    return this.#different > MAX_DIFFERENT;
  }
}

/** A step of FNV-1a. */
function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** What is wrong with a document of more. */
export function tooManyDifferent(): string {
  return `more than ${FREE + MAX_DIFFERENT} different names and short texts`;
}
