/** A name of a table or a column, as statements write it. */
export function quoteName(name: string): string {
  return `"${name}"`;
}
