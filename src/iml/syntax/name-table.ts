/** Names kept, a power of two. Each stands where its hash says, and gives way to the next one of that place. */
const PLACES = 1024;

/** A longer text that is cut out keeps all of what it was cut out of. */
const MAX_KEPT_LENGTH = 12;

const names: string[] = new Array<string>(PLACES).fill('');

/**
 * The name that stands in a text, by the hash of its characters. The same names stand in most templates of an app: one that is
 * found here is not cut out once more, and the engine knows it by now as the name of a member.
 */
export function nameIn(source: string, start: number, end: number, hash: number): string {
  const place = hash & (PLACES - 1);
  const known = names[place] ?? '';
  if (known.length === end - start && source.startsWith(known, start)) return known;
  const name = source.slice(start, end);
  if (name.length <= MAX_KEPT_LENGTH) names[place] = name;
  return name;
}

/** The hash of a name with one more character. */
export function hashWith(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x0100_0193);
}
