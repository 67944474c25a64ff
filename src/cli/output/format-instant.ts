/** Milliseconds since the epoch as ISO text; null stays null. */
export function formatInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
