/** The text without the given characters at its end. A pattern such as `/ +$/` takes quadratic time on a long run inside. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
