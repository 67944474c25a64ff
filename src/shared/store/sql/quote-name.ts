/** Quotes the name of a table or column. */
export function quoteName(name: string): string {
  return `"${name}"`;
}
