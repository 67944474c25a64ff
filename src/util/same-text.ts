/**
 * Whether two texts are the same, in a time that depends on their length only.
 * Whoever compares a secret with what a stranger sent must not stop at the first difference: how long it took would
 * tell how much was right.
 */
export function sameText(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index++) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}
