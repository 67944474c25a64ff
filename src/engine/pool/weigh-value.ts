/** Bytes of a number, date, boolean or empty object in a message, about. [choice] */
const BASE_BYTES = 8;

/**
 * Estimates the bytes of a value after it was cloned to another thread. A text counts as often as it occurs, because the
 * clone repeats it; an object counts once, because the clone keeps shared objects.
 *
 * @returns the estimate; not more than is needed to exceed `maxBytes`
 */
export function weighValue(value: unknown, maxBytes: number): number {
  const seen = new Set<object>();
  const pending: unknown[] = [value];
  let bytes = 0;
  while (pending.length > 0 && bytes <= maxBytes) {
    const next = pending.pop();
    if (typeof next === 'string') bytes += next.length;
    else if (typeof next !== 'object' || next === null) bytes += BASE_BYTES;
    else if (!seen.has(next)) {
      seen.add(next);
      bytes += BASE_BYTES + weighContent(next, pending);
    }
  }
  return bytes;
}

/** Returns the bytes that are not in members, and adds the members to `pending`. */
function weighContent(value: object, pending: unknown[]): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof ArrayBuffer) return value.byteLength;
  if (value instanceof Map) {
    for (const entry of value) pending.push(...entry);
    return 0;
  }
  if (Array.isArray(value) || value instanceof Set) {
    for (const item of value) pending.push(item);
    return 0;
  }
  let bytes = 0;
  for (const [name, member] of Object.entries(value)) {
    bytes += name.length;
    pending.push(member);
  }
  return bytes;
}
