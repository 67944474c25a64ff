/** Where a text stands in another at or behind an offset, -1 where it does not: as `indexOf` gives it. */
export type TextSearch = (text: string, from: number) => number;

/**
 * UTF-16 units of a needle up to which the host's own search is used. In the worst case it compares the whole needle at
 * every place, so that longer ones could take time by the square of what an app's server sends.
 */
const SHORT_NEEDLE = 256;

/** Whether the host's own functions may look for this text. */
export function isShortNeedle(needle: string): boolean {
  return needle.length <= SHORT_NEEDLE;
}

/** A search for `needle` in time linear in the text, whatever both hold. */
export function createTextSearch(needle: string): TextSearch {
  if (isShortNeedle(needle)) return (text, from) => text.indexOf(needle, from);
  let borders: Int32Array | undefined;
  return (text, from) => {
    if (text.length - from < needle.length) return -1;
    borders ??= findBorders(needle);
    return search(text, needle, borders, Math.max(from, 0));
  };
}

/**
 * For each prefix of the needle the length of the longest shorter one that it also ends with: after a mismatch that
 * much of the needle has matched already (Knuth, Morris and Pratt).
 */
function findBorders(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  let length = 0;
  for (let index = 1; index < needle.length; index++) {
    const code = needle.charCodeAt(index);
    while (length > 0 && needle.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (needle.charCodeAt(length) === code) length++;
    borders[index] = length;
  }
  return borders;
}

function search(text: string, needle: string, borders: Int32Array, from: number): number {
  let matched = 0;
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    if (matched === needle.length) return index - matched + 1;
  }
  return -1;
}
