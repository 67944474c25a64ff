/** Blanks, tabs and line breaks of ASCII. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/** What lays a text out beyond ASCII: blanks that do not break, of any width or of none, line breaks, soft hyphens. */
export function isWideBlank(unit: number): boolean {
  if (unit < 0x2000) return unit === 0xa0 || unit === 0xad;
  return (
    unit <= 0x200d ||
    (unit >= 0x2028 && unit <= 0x202f) ||
    unit === 0x2060 ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}
