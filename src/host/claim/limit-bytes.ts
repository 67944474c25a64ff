import type { Taking } from './mark-taken.js';

/** Bytes that are taken together: others wait while their rows are read. The first is taken however large it is. [choice] */
const MAX_TAKEN_BYTES = 2 * 1024 * 1024;

/** What of these is taken now; the rest is asked for at once again. */
export function limitBytes<R extends { readonly bytes: number }>(
  found: readonly Taking<R>[],
): readonly Taking<R>[] {
  let bytes = 0;
  return found.map((taking) => {
    const rows: R[] = [];
    for (const row of taking.rows) {
      if (bytes > 0 && bytes + row.bytes > MAX_TAKEN_BYTES) return { ...taking, rows, isMore: true };
      bytes += row.bytes;
      rows.push(row);
    }
    return taking;
  });
}
