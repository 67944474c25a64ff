/** An instant in milliseconds since the epoch as text; null stays null. */
export function formatInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
