const OPENINGS = [0x5b, 0x7b];

/**
 * Whether a value read from JSON is nested deeper than `maxDepth`. A text with fewer brackets than that cannot be, so
 * the value itself is seldom looked at. Works level by level: depth must not cost the host's stack.
 */
export function isDeeper(value: unknown, source: Uint8Array, maxDepth: number): boolean {
  if (!holdsMore(source, maxDepth)) return false;
  let level: readonly object[] = isNested(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    const below: object[] = [];
    for (const item of level)
      for (const member of Object.values(item)) if (isNested(member)) below.push(member);
    level = below;
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether there are more than `count` brackets; stops as soon as it knows. */
function holdsMore(source: Uint8Array, count: number): boolean {
  // A Buffer looks for a byte many times faster than a plain Uint8Array does.
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let found = 0;
  for (const opening of OPENINGS) {
    for (let at = bytes.indexOf(opening); at !== -1; at = bytes.indexOf(opening, at + 1)) {
      if (++found > count) return true;
    }
  }
  return false;
}
